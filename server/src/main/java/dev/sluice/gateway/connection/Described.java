package dev.sluice.gateway.connection;

import static java.util.Objects.requireNonNull;

import dev.sluice.gateway.destination.DestinationSummary;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.json.JsonObject;

import java.util.List;

/// A connection as answers have it: with what it leads to, and whether that takes deliveries.
record Described(Connection connection, DestinationSummary destination) {

    /// @throws ApiException 404 when it was deleted with its destination meanwhile
    static Described of(Tx tx, Connection connection) {
        return of(tx, List.of(connection)).stream()
                .findFirst()
                .orElseThrow(() -> ApiException.notFound("connection"));
    }

    /// In the order given, without those that were deleted with their destinations meanwhile.
    static List<Described> of(Tx tx, List<Connection> connections) {
        var destinations =
                DestinationSummary.of(
                        tx, connections.stream().map(Connection::destination).toList());
        return connections.stream()
                .filter(connection -> destinations.containsKey(connection.destination()))
                .map(connection ->
                        new Described(
                                connection,
                                requireNonNull(destinations.get(connection.destination()))))
                .toList();
    }

    JsonObject json() {
        return connection.json().put("destination", destination.json());
    }
}
