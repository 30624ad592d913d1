package dev.sluice.features.stats;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.features.stats.StatsScope.ScopeFilter;
import dev.sluice.features.stats.StatsScope.StatsConnection;
import dev.sluice.features.stats.StatsScope.StatsDestination;
import dev.sluice.features.stats.StatsScope.StatsSource;
import dev.sluice.platform.db.Tx;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/// Determines which sources, destinations and connections a statistics request covers.
final class StatsScopeQueries {

    private StatsScopeQueries() {}

    /// Returns the scope that the filter selects. If the filter names destinations, the scope
    /// contains only sources that have or had a connection to one of these destinations.
    static StatsScope scope(Tx tx, WorkspaceId workspace, ScopeFilter filter) {
        var connections = connections(tx, workspace, filter);
        var sources = sources(tx, workspace, filter);
        var destinations = destinations(tx, workspace, filter);
        if (filter.destinations().isPresent()) {
            var connected =
                    connections.values().stream()
                            .map(StatsConnection::source)
                            .collect(Collectors.toSet());
            sources.keySet().retainAll(connected);
        }
        return new StatsScope(sources, destinations, connections);
    }

    private static Map<UUID, StatsSource> sources(
            Tx tx, WorkspaceId workspace, ScopeFilter filter) {
        var sources = new LinkedHashMap<UUID, StatsSource>();
        tx
                .query(
                        """
                        select id, name, color
                          from source
                         where workspace_id = ? and trashed_at is null
                         order by created_at desc, id desc
                        """,
                        row -> new StatsSource(row.uuid("id"), row.text("name"), row.text("color")),
                        workspace.value())
                .stream()
                .filter(source -> filter.hasSource(source.id()))
                .forEach(source -> sources.put(source.id(), source));
        return sources;
    }

    private static Map<UUID, StatsDestination> destinations(
            Tx tx, WorkspaceId workspace, ScopeFilter filter) {
        var destinations = new LinkedHashMap<UUID, StatsDestination>();
        tx
                .query(
                        """
                        select id, name, deleted_at is not null as is_deleted
                          from destination
                         where workspace_id = ?
                         order by created_at desc, id desc
                        """,
                        row ->
                                new StatsDestination(
                                        row.uuid("id"), row.text("name"), row.bool("is_deleted")),
                        workspace.value())
                .stream()
                .filter(destination -> filter.hasDestination(destination.id()))
                .forEach(destination -> destinations.put(destination.id(), destination));
        return destinations;
    }

    private static Map<UUID, StatsConnection> connections(
            Tx tx, WorkspaceId workspace, ScopeFilter filter) {
        var connections = new LinkedHashMap<UUID, StatsConnection>();
        tx
                .query(
                        """
                        select connection.id, source_id, destination_id
                          from connection
                          join source on source.id = source_id
                         where source.workspace_id = ? and source.trashed_at is null
                        """,
                        row ->
                                new StatsConnection(
                                        row.uuid("id"),
                                        row.uuid("source_id"),
                                        row.uuid("destination_id")),
                        workspace.value())
                .stream()
                .filter(filter::has)
                .forEach(connection -> connections.put(connection.id(), connection));
        return connections;
    }
}
