package dev.sluice.relay.store;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.Checked;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;

import java.util.List;
import java.util.Optional;

/// An event on its way into the database, with the deliveries decided for it.
///
/// @param filtered connections whose filter did not match
public record Accepted(
        EventId id,
        SourceId source,
        String method,
        Optional<String> contentType,
        Checked verification,
        Payload payload,
        List<Planned> planned,
        List<ConnectionId> filtered,
        Receipt receipt) {

    /// A delivery decided at ingest.
    ///
    /// @param isFresh whether dispatch has room kept for it; otherwise it is stored as waiting
    public record Planned(DeliveryId id, Route route, boolean isFresh) {

        public ConnectionId connection() {
            return route.connection().id();
        }
    }

    public Accepted {
        planned = List.copyOf(planned);
        filtered = List.copyOf(filtered);
    }

    int fanout() {
        return planned.size() + filtered.size();
    }
}
