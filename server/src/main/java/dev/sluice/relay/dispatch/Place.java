package dev.sluice.relay.dispatch;

import static java.util.Objects.requireNonNull;

import dev.sluice.gateway.destination.DestinationId;

import java.util.EnumMap;
import java.util.Map;

/// What is kept here for a destination: its deliveries, its part of the permits and of the memory.
final class Place {

    private final DestinationId destination;
    private final Outbox outbox;
    private final Turns.Seat<Place> seat;
    private final Map<Memory.Kind, Memory.Share> shares = new EnumMap<>(Memory.Kind.class);

    Place(DestinationId destination, Outbox outbox, Tenant tenant) {
        this.destination = destination;
        this.outbox = outbox;
        this.seat = new Turns.Seat<>(this, tenant.turns());
        for (var kind : Memory.Kind.values()) {
            shares.put(kind, new Memory.Share(tenant.memory(), kind));
        }
    }

    /// What is counted for its workspace.
    record Tenant(Turns.Tenant turns, Memory.Tenant memory) {}

    DestinationId destination() {
        return destination;
    }

    Outbox outbox() {
        return outbox;
    }

    Turns.Seat<Place> seat() {
        return seat;
    }

    /// Whether nothing of it is in memory, not even room kept for it.
    boolean isEmpty() {
        return shares.values().stream().allMatch(Memory.Share::isEmpty);
    }

    Memory.Share share(Memory.Kind kind) {
        return requireNonNull(shares.get(kind));
    }
}
