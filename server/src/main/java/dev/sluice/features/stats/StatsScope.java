package dev.sluice.features.stats;

import dev.sluice.platform.http.QueryParameters;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The sources, destinations and connections that a statistics request covers.
///
/// Sources in the trash are omitted. Deleted connections are included, because their deliveries are
/// part of the statistics.
///
/// @param sources the sources by id, newest first
/// @param destinations the destinations by id, newest first, including deleted ones
/// @param connections the connections by id
record StatsScope(
        Map<UUID, StatsSource> sources,
        Map<UUID, StatsDestination> destinations,
        Map<UUID, StatsConnection> connections) {

    private static final int MAX_IDS = 200;

    record StatsSource(UUID id, String name, String color) {}

    record StatsDestination(UUID id, String name, boolean isDeleted) {}

    record StatsConnection(UUID id, UUID source, UUID destination) {}

    /// The filter in a request. Ids that belong to other workspaces match nothing.
    ///
    /// @param sources the ids of the wanted sources, or empty for all sources
    /// @param destinations the ids of the wanted destinations, or empty for all destinations
    record ScopeFilter(Optional<Set<UUID>> sources, Optional<Set<UUID>> destinations) {

        static ScopeFilter ofSources(QueryParameters query) {
            return new ScopeFilter(query.uuids("source_ids", MAX_IDS), Optional.empty());
        }

        static ScopeFilter of(QueryParameters query) {
            return new ScopeFilter(
                    query.uuids("source_ids", MAX_IDS), query.uuids("destination_ids", MAX_IDS));
        }

        boolean hasSource(UUID source) {
            return sources.map(ids -> ids.contains(source)).orElse(true);
        }

        boolean hasDestination(UUID destination) {
            return destinations.map(ids -> ids.contains(destination)).orElse(true);
        }

        boolean has(StatsConnection connection) {
            return hasSource(connection.source()) && hasDestination(connection.destination());
        }
    }

    List<UUID> sourceIds() {
        return List.copyOf(sources.keySet());
    }

    List<UUID> connectionIds() {
        return List.copyOf(connections.keySet());
    }

    UUID sourceOf(UUID connection) {
        return connection(connection).source();
    }

    UUID destinationOf(UUID connection) {
        return connection(connection).destination();
    }

    private StatsConnection connection(UUID id) {
        var connection = connections.get(id);
        if (connection == null) {
            throw new IllegalArgumentException("not in the scope: " + id);
        }
        return connection;
    }
}
