package dev.sluice.bench.measure;

/// Percentiles of a histogram, in milliseconds.
public record LatencySummary(
        double p50Ms, double p90Ms, double p99Ms, double p999Ms, double maxMs) {}
