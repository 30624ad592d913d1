package dev.sluice.engine.lanes;

import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

/// A queue in the database that holds one connection's waiting deliveries. Live deliveries and
/// resends have separate lanes.
public record Lane(ConnectionId connection, Trigger trigger, SourceId source) {

    public static Lane of(UnfinishedDelivery delivery) {
        return new Lane(delivery.connection(), delivery.trigger(), delivery.source());
    }
}
