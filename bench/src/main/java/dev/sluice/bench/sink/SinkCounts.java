package dev.sluice.bench.sink;

/// Counts of the requests that a sink has received so far.
///
/// @param mostAtOnce the maximum number of requests that were waiting for a response at the same
///   time
public record SinkCounts(long requests, int mostAtOnce) {}
