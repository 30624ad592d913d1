package dev.sluice.engine.commit;

/// A queue of delivery results that are waiting to be written to the database.
@FunctionalInterface
public interface ResultQueue {

    /// Adds a result. Blocks while the queue is full.
    ///
    /// @param isAwaited whether something is waiting for the result to be written, such as a lane
    ///   that cannot load more deliveries until then. If not, the result may be delayed, so that
    ///   one commit writes several results
    void add(DeliveryResult result, boolean isAwaited) throws InterruptedException;
}
