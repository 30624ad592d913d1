package dev.sluice.relay.store;

/// Takes results to be written.
@FunctionalInterface
public interface ResultQueue {

    /// Waits while there is no room.
    void add(Settled settled) throws InterruptedException;
}
