package dev.sluice.bench.sink;

/// The numbers of requests that a sink has seen so far.
///
/// @param mostAtOnce requests that waited for their answers at the same time
public record SinkCounts(long requests, int mostAtOnce) {}
