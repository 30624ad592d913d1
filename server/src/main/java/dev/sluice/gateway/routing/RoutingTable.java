package dev.sluice.gateway.routing;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;

import java.util.Optional;

/// Finds the routes and destinations of deliveries. It knows only the configuration that this node
/// has loaded so far. Thread-safe.
public interface RoutingTable {

    /// Returns the route of a connection. Empty if the connection or its destination is deleted, or
    /// if this node does not know them yet.
    Optional<Route> route(ConnectionId connection);

    /// Returns which deletion permanently ended the connection. Empty if it is not deleted or this
    /// node does not know it yet.
    Optional<RouteDeletion> deletion(ConnectionId connection);

    /// Returns the destination. Empty if it is deleted or this node does not know it yet.
    Optional<Destination> destination(DestinationId id);

    /// Adds a listener that runs after each change, on the thread that applied the change. The
    /// listener must return quickly.
    void onChange(Runnable listener);
}
