package dev.sluice.relay.journal;

import dev.sluice.relay.store.DeliveryResult;

/// Queues delivery results to be written.
@FunctionalInterface
public interface ResultQueue {

    /// Adds a result. Blocks while the queue is full.
    ///
    /// @param isAwaited whether something waits until the result is written, as a lane does before
    ///   it loads more deliveries; other results may wait, so that one commit writes several
    void add(DeliveryResult result, boolean isAwaited) throws InterruptedException;
}
