/// Relays that share one PostgreSQL server, and tools to fill its disk and to shift the clocks of
/// processes.
@NullMarked
package dev.sluice.faults.cluster;

import org.jspecify.annotations.NullMarked;
