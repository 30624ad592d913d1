package dev.sluice.engine.share;

/// Whether a destination's next attempt is expected to end soon. [SlownessDetector] decides this
/// from the recent attempts.
public enum Standing {
    /// The destination's last finished attempt was prompt, and no attempt in progress is taking
    /// long. A permit that the destination takes is expected back soon.
    PROVEN,
    /// The destination has no finished attempt yet, or is slow. A permit that it takes may not be
    /// returned until the attempt times out.
    UNPROVEN
}
