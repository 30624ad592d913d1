package dev.sluice.observe.deadletters;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/// The connections whose deliveries a list covers, newest first, including deleted connections.
///
/// @param includesAllConnections whether these are all connections that their sources ever had
record DeadLetterScope(Map<UUID, ScopedConnection> targets, boolean includesAllConnections) {

    /// @param destinationName the current name of the destination
    record ScopedConnection(
            ConnectionId connection,
            SourceId source,
            DestinationId destination,
            String destinationName,
            boolean isDeleted) {}

    List<UUID> connections() {
        return List.copyOf(targets.keySet());
    }

    /// @param connection a connection in this scope
    ScopedConnection target(UUID connection) {
        return Objects.requireNonNull(targets.get(connection));
    }
}
