package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.DestinationId;

/// What is kept here for a destination: its deliveries, its part of the permits and of the memory.
final class Place {

    private final DestinationId destination;
    private final Outbox outbox;
    private final Turns.Seat<Place> seat;
    private final Memory.Share share;

    Place(DestinationId destination, Outbox outbox, Tenant tenant) {
        this.destination = destination;
        this.outbox = outbox;
        this.seat = new Turns.Seat<>(this, tenant.turns());
        this.share = new Memory.Share(tenant.memory());
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

    Memory.Share share() {
        return share;
    }
}
