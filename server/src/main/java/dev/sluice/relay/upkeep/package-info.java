/// Timed chores: partitions made ahead, usage folded, lanes swept.
@NullMarked
package dev.sluice.relay.upkeep;

import org.jspecify.annotations.NullMarked;
