/// Makes requests: back to back to find the maximum, or by a fixed schedule to see the latency.
///
/// One thread and one selector for all connections, because the generator shares the processors
/// with what it measures.
@NullMarked
package dev.sluice.bench.load;

import org.jspecify.annotations.NullMarked;
