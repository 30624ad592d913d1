package dev.sluice.bench.measure;

/// Whose CPU time it is.
public enum Role {
    RELAY,
    POSTGRES,
    GENERATOR,
    SINK,
    /// The process that starts the others and takes the samples.
    CONDUCTOR
}
