package dev.sluice.engine;

/// This node's lease, which allows the node to start attempts under the current epoch. The lease
/// ends if the node sends no heartbeat for a while. Thread-safe.
public interface Lease {

    /// Returns the current epoch: a number that is new each time this node starts, and each time it
    /// registers again after being declared dead.
    long epoch();

    /// Whether attempts may start now.
    boolean mayStart();

    /// Whether attempts may start now for deliveries that this node acquired under `epoch`. Returns
    /// false for an earlier epoch of this node: once the node has been declared dead, other nodes
    /// may own the deliveries that it had acquired.
    boolean mayStart(long epoch);
}
