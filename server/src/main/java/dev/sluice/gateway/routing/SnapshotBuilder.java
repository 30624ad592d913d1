package dev.sluice.gateway.routing;

import static java.util.Objects.requireNonNull;

import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.Connection;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.connection.ConnectionQueries.ConnectionVersion;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationStore.DestinationVersion;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore.SourceVersion;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Makes a snapshot from the one before and what has changed since. It copies the maps once, and
/// looks only at the sources that a change concerns.
///
/// Used by one thread, for one snapshot.
final class SnapshotBuilder {

    private static final Comparator<Route> OLDEST_FIRST =
            Comparator.comparing((Route route) -> route.connection().createdAt())
                    .thenComparing(route -> route.connection().id().value());

    private final ConfigurationSnapshot before;
    private final DeletedConnections deleted;
    private final Map<SourceId, SourceVersion> sources;
    private final Map<DestinationId, DestinationVersion> destinations;
    private final Map<ConnectionId, ConnectionVersion> connections;
    private final ConnectionIndex<SourceId> bySource;
    private final ConnectionIndex<DestinationId> byDestination;
    private final Map<WorkspaceId, String> plans;

    /// The sources whose ingest routes must be made anew.
    private final Set<SourceId> changed = new HashSet<>();

    /// @param deleted learns which connections end
    SnapshotBuilder(ConfigurationSnapshot before, DeletedConnections deleted) {
        this.before = before;
        this.deleted = deleted;
        sources = new HashMap<>(before.sources());
        destinations = new HashMap<>(before.destinations());
        connections = new HashMap<>(before.connections());
        bySource = new ConnectionIndex<>(before.connectionsBySource());
        byDestination = new ConnectionIndex<>(before.connectionsByDestination());
        plans = new HashMap<>(before.plans());
    }

    ConfigurationSnapshot build(ConfigurationChanges changes) {
        changes.sources().forEach(this::apply);
        changes.destinations().forEach(this::apply);
        changes.connections().forEach(this::apply);
        changes.workspaces().forEach(this::apply);
        var withOldRoutes = snapshot(changes.version(), before.ingestRoutes());
        return snapshot(changes.version(), ingestRoutes(withOldRoutes));
    }

    private ConfigurationSnapshot snapshot(long version, Map<String, IngestRoute> ingestRoutes) {
        return new ConfigurationSnapshot(
                version,
                sources,
                destinations,
                connections,
                bySource.map(),
                byDestination.map(),
                ingestRoutes,
                plans);
    }

    private void apply(SourceVersion row) {
        var id = row.source().id();
        UnreadableSettings.report(row, Optional.ofNullable(sources.get(id)));
        changed.add(id);
        if (row.isPurged()) {
            sources.remove(id);
        } else {
            sources.put(id, row);
        }
    }

    private void apply(DestinationVersion row) {
        var id = row.destination().id();
        UnreadableSettings.report(row, Optional.ofNullable(destinations.get(id)));
        var affected = List.copyOf(byDestination.of(id));
        affected.forEach(each -> changed.add(connection(each).source()));
        if (row.isDeleted()) {
            destinations.remove(id);
            affected.forEach(each -> end(connection(each), RouteDeletion.DESTINATION));
        } else {
            destinations.put(id, row);
        }
    }

    private Connection connection(ConnectionId id) {
        return requireNonNull(connections.get(id)).connection();
    }

    private void apply(ConnectionVersion row) {
        var connection = row.connection();
        UnreadableSettings.report(row, Optional.ofNullable(connections.get(connection.id())));
        changed.add(connection.source());
        if (row.isDeleted()) {
            end(connection, RouteDeletion.CONNECTION);
        } else if (destinations.containsKey(connection.destination())) {
            connections.put(connection.id(), row);
            bySource.add(connection.source(), connection.id());
            byDestination.add(connection.destination(), connection.id());
        } else {
            end(connection, RouteDeletion.DESTINATION);
        }
    }

    private void end(Connection connection, RouteDeletion deletion) {
        deleted.add(connection.id(), deletion);
        connections.remove(connection.id());
        bySource.remove(connection.source(), connection.id());
        byDestination.remove(connection.destination(), connection.id());
    }

    private void apply(Workspace workspace) {
        plans.put(workspace.id(), workspace.plan());
    }

    /// Makes the routes of the changed sources anew and keeps those of all other sources.
    private Map<String, IngestRoute> ingestRoutes(ConfigurationSnapshot snapshot) {
        var routes = new HashMap<>(before.ingestRoutes());
        for (var id : changed) {
            var old = before.sources().get(id);
            if (old != null) {
                routes.remove(old.source().token());
            }
            var source = sources.get(id);
            if (source != null && !source.isTrashed()) {
                routes.put(
                        source.source().token(),
                        new IngestRoute(source.source(), enabledRoutes(snapshot, id)));
            }
        }
        return routes;
    }

    private List<Route> enabledRoutes(ConfigurationSnapshot snapshot, SourceId source) {
        return bySource.of(source).stream()
                .flatMap(id -> snapshot.route(id).stream())
                .filter(route -> route.connection().enabled())
                .sorted(OLDEST_FIRST)
                .toList();
    }

    /// The connections of each source or destination. Copies a set before it first changes it,
    /// because published snapshots have it too.
    private static final class ConnectionIndex<K> {

        private final Map<K, Set<ConnectionId>> sets;
        private final Set<K> copied = new HashSet<>();

        ConnectionIndex(Map<K, Set<ConnectionId>> before) {
            sets = new HashMap<>(before);
        }

        Map<K, Set<ConnectionId>> map() {
            return sets;
        }

        Set<ConnectionId> of(K key) {
            return sets.getOrDefault(key, Set.of());
        }

        void add(K key, ConnectionId connection) {
            own(key).add(connection);
        }

        void remove(K key, ConnectionId connection) {
            if (of(key).contains(connection)) {
                var left = own(key);
                left.remove(connection);
                if (left.isEmpty()) {
                    sets.remove(key);
                    copied.remove(key);
                }
            }
        }

        private Set<ConnectionId> own(K key) {
            if (copied.add(key)) {
                sets.put(key, new HashSet<>(of(key)));
            }
            return requireNonNull(sets.get(key));
        }
    }
}
