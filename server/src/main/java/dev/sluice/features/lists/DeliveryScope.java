package dev.sluice.features.lists;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/// The connections whose deliveries a list covers, including deleted connections. The newest
/// connection comes first.
///
/// @param targets the connections by id
/// @param includesAllConnections whether the scope contains every connection of its sources; if so,
///   queries need no condition on the connection
public record DeliveryScope(Map<UUID, ScopedConnection> targets, boolean includesAllConnections) {

    /// @param destinationName the current name of the destination
    /// @param isDeleted whether the connection or its destination is deleted
    public record ScopedConnection(
            ConnectionId connection,
            SourceId source,
            DestinationId destination,
            String destinationName,
            boolean isDeleted) {}

    public List<UUID> connections() {
        return List.copyOf(targets.keySet());
    }

    /// Returns the connection with this id, which must be in this scope.
    public ScopedConnection target(UUID connection) {
        return Objects.requireNonNull(targets.get(connection));
    }
}
