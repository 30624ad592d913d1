package dev.sluice.relay.fairness;

/// What a destination's recent attempts say about the next one; see [Pace].
public enum Standing {
    /// Its attempts end promptly, so a permit that it gets soon comes back.
    PROVEN,
    /// It was never tried, or it is slow. A permit that it gets may stay away until a timeout.
    UNPROVEN
}
