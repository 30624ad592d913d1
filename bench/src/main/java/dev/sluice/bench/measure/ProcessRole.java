package dev.sluice.bench.measure;

/// The role of a process whose CPU time is counted.
public enum ProcessRole {
    RELAY,
    POSTGRES,
    GENERATOR,
    SINK,
    /// A program with which the relay is compared.
    REFERENCE,
    /// The process that starts the others and takes the samples.
    BENCH
}
