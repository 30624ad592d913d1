package dev.sluice.bench.measure;

/// What a histogram says, in milliseconds.
public record Latency(
        long count,
        double meanMs,
        double p50Ms,
        double p90Ms,
        double p99Ms,
        double p999Ms,
        double maxMs) {}
