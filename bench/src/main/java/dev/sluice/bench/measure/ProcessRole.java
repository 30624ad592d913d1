package dev.sluice.bench.measure;

/// The processes whose CPU time is counted.
public enum ProcessRole {
    RELAY,
    POSTGRES,
    GENERATOR,
    SINK,
    /// The process that starts the others and takes the samples.
    BENCH
}
