package dev.sluice.relay.store;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;

/// Where the waiting deliveries of one connection stand in line; live ones and resends apart.
public record Lane(ConnectionId connection, Trigger trigger, SourceId source) {

    public static Lane of(Work work) {
        return new Lane(work.connection(), work.trigger(), work.source());
    }
}
