package dev.sluice.relay;

/// The right of this process to start attempts, and the epoch under which it has that right.
/// Thread-safe.
public interface Lease {

    /// Returns the current epoch: a number that is new each time this node starts, and each time it
    /// registers again after being declared dead.
    long epoch();

    /// Whether attempts may start now.
    boolean mayStart();

    /// Whether attempts may start now at deliveries that this node acquired under `epoch`. Once the
    /// node has been declared dead, everything it acquired under an earlier epoch belongs to other
    /// nodes.
    boolean mayStart(long epoch);
}
