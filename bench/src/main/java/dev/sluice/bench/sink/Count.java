package dev.sluice.bench.sink;

/// What a sink has seen so far.
///
/// @param bytes of bodies
/// @param connections that stand now
/// @param mostAtOnce requests that waited for their answers at the same time
public record Count(long requests, long bytes, long answered, int connections, int mostAtOnce) {}
