package dev.sluice.relay.journal;

import dev.sluice.relay.store.DeliveryResult;

/// Queues delivery results to be written.
@FunctionalInterface
public interface ResultQueue {

    /// Adds a result. Blocks while the queue is full.
    void add(DeliveryResult result) throws InterruptedException;
}
