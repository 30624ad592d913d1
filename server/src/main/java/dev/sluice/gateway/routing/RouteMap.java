package dev.sluice.gateway.routing;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;

import java.util.Optional;

/// Where deliveries go, as far as this node knows. Safe for use by many threads.
public interface RouteMap {

    /// Empty when the connection or its destination was deleted.
    Optional<Route> route(ConnectionId connection);

    /// What of the connection was deleted, for good; empty while nothing was, and for a connection
    /// that this node has not heard of yet.
    Optional<Gone> gone(ConnectionId connection);

    /// The destination, unless it was deleted.
    Optional<Destination> destination(DestinationId id);

    /// Called after each change, on the thread that noticed it. Must be quick.
    void onChange(Runnable listener);
}
