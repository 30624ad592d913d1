/// Sends again what failed, or takes it off the list: resends, replays, and dismissals of dead
/// letters.
@NullMarked
package dev.sluice.features.recovery;

import org.jspecify.annotations.NullMarked;
