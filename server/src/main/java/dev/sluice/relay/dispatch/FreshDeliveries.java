package dev.sluice.relay.dispatch;

import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.UnfinishedDelivery;

import java.util.concurrent.ConcurrentHashMap;

/// The set of fresh deliveries in this node's memory. A delivery is in the set from the commit of
/// its event until the commit of its result. Thread-safe.
final class FreshDeliveries {

    private final ConcurrentHashMap<DeliveryId, UnfinishedDelivery> deliveries =
            new ConcurrentHashMap<>();

    void add(UnfinishedDelivery delivery) {
        deliveries.put(delivery.id(), delivery);
    }

    boolean contains(DeliveryId delivery) {
        return deliveries.containsKey(delivery);
    }

    /// Removes a fresh delivery; returns false for a waiting one. Deliveries are compared by
    /// identity, because a node that was declared dead may have two objects for one delivery: the
    /// original fresh one, and the one it later read from a lane.
    @SuppressWarnings("ReferenceEquality")
    boolean remove(UnfinishedDelivery delivery) {
        return deliveries.get(delivery.id()) == delivery
                && deliveries.remove(delivery.id()) != null;
    }
}
