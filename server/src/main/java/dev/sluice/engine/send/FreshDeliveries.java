package dev.sluice.engine.send;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.UnfinishedDelivery;

import java.util.concurrent.ConcurrentHashMap;

/// The set of fresh deliveries in this node's memory. A delivery is added after the commit of its
/// event. It is removed after its result has been written or given up on, or when this node drops
/// it after being declared dead. Thread-safe.
final class FreshDeliveries {

    private final ConcurrentHashMap<DeliveryId, UnfinishedDelivery> deliveries =
            new ConcurrentHashMap<>();

    void add(UnfinishedDelivery delivery) {
        deliveries.put(delivery.id(), delivery);
    }

    boolean contains(DeliveryId delivery) {
        return deliveries.containsKey(delivery);
    }

    /// Removes a fresh delivery; returns false if the set does not contain this object. Deliveries
    /// are compared by identity, because a node that was declared dead may have two objects for one
    /// delivery: the original fresh one, and one that it read from a lane later.
    @SuppressWarnings("ReferenceEquality")
    boolean remove(UnfinishedDelivery delivery) {
        return deliveries.get(delivery.id()) == delivery
                && deliveries.remove(delivery.id()) != null;
    }
}
