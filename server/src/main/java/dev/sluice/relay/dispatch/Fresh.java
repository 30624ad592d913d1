package dev.sluice.relay.dispatch;

import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Work;

import java.util.concurrent.ConcurrentHashMap;

/// Fresh deliveries in memory, from their commit until their result's: waiting for a sender, under
/// way, or with a result that is not yet written. Thread-safe.
final class Fresh {

    private final ConcurrentHashMap<DeliveryId, Work> works = new ConcurrentHashMap<>();

    void add(Work work) {
        works.put(work.id(), work);
    }

    boolean knows(DeliveryId delivery) {
        return works.containsKey(delivery);
    }

    /// False when it waits in its lane. Told by identity: after this node was declared dead it may
    /// have the same delivery twice, the one it had before and the one it took from the lane.
    @SuppressWarnings("ReferenceEquality")
    boolean forget(Work work) {
        return works.get(work.id()) == work && works.remove(work.id()) != null;
    }
}
