package dev.sluice.relay.journal;

import dev.sluice.relay.store.DeliveryResult;

/// Queues delivery results to be written.
@FunctionalInterface
public interface ResultQueue {

    /// Adds a result. Blocks while the queue is full.
    ///
    /// @param isAwaited whether something is waiting until the result is written, such as a lane
    ///   that cannot load more deliveries before that. Other results may be delayed, so that one
    ///   commit writes several
    void add(DeliveryResult result, boolean isAwaited) throws InterruptedException;
}
