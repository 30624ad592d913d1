/// Sends requests: back to back to find the maximum rate, or on a fixed schedule to measure
/// latency.
///
/// One thread with one selector serves all connections because the generator shares the processors
/// with the relay that it measures.
@NullMarked
package dev.sluice.bench.load;

import org.jspecify.annotations.NullMarked;
