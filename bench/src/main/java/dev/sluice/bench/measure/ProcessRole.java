package dev.sluice.bench.measure;

/// The processes whose CPU time is counted.
public enum ProcessRole {
    RELAY,
    POSTGRES,
    GENERATOR,
    SINK,
    /// A program that the relay is compared with.
    REFERENCE,
    /// The process that starts the others and takes the samples.
    BENCH
}
