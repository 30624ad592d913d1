/// Who is sent next: deliveries fresh in memory, lanes of waiting ones, permits for each
/// destination.
///
/// A destination that hangs or is dead holds its own permits and nobody else's.
@NullMarked
package dev.sluice.relay.dispatch;

import org.jspecify.annotations.NullMarked;
