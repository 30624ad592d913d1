package dev.sluice.relay;

/// What this process may start, and under which name. Safe for use by many threads.
public interface Lease {

    /// The number this node lives under now.
    long epoch();

    /// Whether attempts may be started now.
    boolean mayStart();

    /// Whether attempts may be started of what this node got under that epoch. What it got before
    /// it was declared dead is others' work, though it lives again.
    boolean mayStart(long epoch);
}
