package dev.sluice.gateway.routing;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;

import java.util.Optional;

/// Looks up the routes and destinations of deliveries in the configuration that this node has
/// loaded so far. Thread-safe.
public interface RoutingTable {

    /// Returns a connection's route, or empty if the connection or its destination is deleted, if
    /// its source is purged, or if this node does not know them yet.
    Optional<Route> route(ConnectionId connection);

    /// Returns the deletion that permanently ended the connection, or empty if the connection has
    /// not ended or this node does not know of its deletion yet.
    Optional<RouteDeletion> deletion(ConnectionId connection);

    /// Returns the destination, or empty if it is deleted or if this node does not know it yet.
    Optional<Destination> destination(DestinationId id);
}
