package dev.sluice.gateway.routing;

import static java.util.Objects.requireNonNull;

import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.Connection;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.connection.ConnectionQueries.ConnectionVersion;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationStore.DestinationVersion;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore.SourceVersion;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Builds a configuration snapshot from the previous one and the changes made since then. Copies
/// each map once, and builds routes only for the sources that a change affects.
///
/// Not thread-safe. Each instance builds one snapshot.
final class SnapshotBuilder {

    private static final Comparator<Route> OLDEST_FIRST =
            Comparator.comparing((Route route) -> route.connection().createdAt())
                    .thenComparing(route -> route.connection().id().value());

    private final ConfigurationSnapshot before;
    private final ConfigurationChanges changes;
    private final DeletedConnections deleted;
    private final Map<SourceId, SourceVersion> sources;
    private final Map<DestinationId, DestinationVersion> destinations;
    private final Map<ConnectionId, ConnectionVersion> connections;
    private final ConnectionIndex<SourceId> bySource;
    private final ConnectionIndex<DestinationId> byDestination;
    private final Map<WorkspaceId, Workspace> workspaces;

    /// The sources whose ingest routes must be rebuilt.
    private final Set<SourceId> changed;

    private SnapshotBuilder(
            ConfigurationSnapshot before,
            ConfigurationChanges changes,
            DeletedConnections deleted) {
        this.before = before;
        this.changes = changes;
        this.deleted = deleted;
        sources = copy(before.sources(), changes.sources());
        destinations = copy(before.destinations(), changes.destinations());
        connections = copy(before.connections(), changes.connections());
        bySource = new ConnectionIndex<>(copy(before.connectionsBySource(), changes.connections()));
        byDestination =
                new ConnectionIndex<>(
                        copy(before.connectionsByDestination(), changes.destinations()));
        workspaces = copy(before.workspaces(), changes.workspaces());
        changed = HashSet.newHashSet(changes.sources().size());
    }

    /// Returns a copy of the map with enough capacity for the entries to be added.
    private static <K, V> Map<K, V> copy(Map<K, V> before, Collection<?> added) {
        Map<K, V> copy = HashMap.newHashMap(before.size() + added.size());
        copy.putAll(before);
        return copy;
    }

    /// @param deleted the cache that records the connections that these changes delete
    static ConfigurationSnapshot build(
            ConfigurationSnapshot before,
            ConfigurationChanges changes,
            DeletedConnections deleted) {
        return new SnapshotBuilder(before, changes, deleted).build();
    }

    private ConfigurationSnapshot build() {
        changes.sources().forEach(this::apply);
        changes.destinations().forEach(this::apply);
        changes.connections().forEach(this::apply);
        changes.workspaces().forEach(each -> workspaces.put(each.id(), each));
        addSourcesOfSuspensions();
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
                workspaces);
    }

    private void apply(SourceVersion row) {
        var id = row.source().id();
        UnreadableSettingsLogger.report(row, Optional.ofNullable(sources.get(id)));
        changed.add(id);
        if (row.isPurged()) {
            sources.remove(id);
        } else {
            sources.put(id, row);
        }
    }

    private void apply(DestinationVersion row) {
        var id = row.destination().id();
        UnreadableSettingsLogger.report(row, Optional.ofNullable(destinations.get(id)));
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
        UnreadableSettingsLogger.report(row, Optional.ofNullable(connections.get(connection.id())));
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

    /// Marks all sources of the workspaces that were suspended or resumed as changed. Scans all
    /// sources, but only if there is such a workspace.
    private void addSourcesOfSuspensions() {
        var affected =
                changes.workspaces().stream()
                        .filter(each ->
                                each.suspension().isPresent() != before.isSuspended(each.id()))
                        .map(Workspace::id)
                        .collect(Collectors.toSet());
        if (!affected.isEmpty()) {
            sources.values().stream()
                    .map(SourceVersion::source)
                    .filter(source -> affected.contains(source.workspace()))
                    .forEach(source -> changed.add(source.id()));
        }
    }

    /// Rebuilds the routes of the changed sources, and keeps the routes of all other sources.
    private Map<String, IngestRoute> ingestRoutes(ConfigurationSnapshot snapshot) {
        var routes = copy(before.ingestRoutes(), changed);
        for (var id : changed) {
            var old = before.sources().get(id);
            if (old != null) {
                routes.remove(old.source().token());
                old.source().previousToken().ifPresent(token -> routes.remove(token.token()));
            }
        }
        for (var id : changed) {
            var source = sources.get(id);
            if (source != null && !source.isTrashed()) {
                putIngestRoutes(
                        routes,
                        source.source(),
                        enabledRoutes(snapshot, id),
                        snapshot.isSuspended(source.source().workspace()));
            }
        }
        return routes;
    }

    /// Adds a route for the source's current token. If the source has a previous token, also adds a
    /// route for that token, with the time at which it expires.
    private static void putIngestRoutes(
            Map<String, IngestRoute> ingestRoutes,
            Source source,
            List<Route> routes,
            boolean isSuspended) {
        ingestRoutes.put(source.token(), new IngestRoute(source, routes, isSuspended, Instant.MAX));
        source.previousToken()
                .ifPresent(previous ->
                        ingestRoutes.put(
                                previous.token(),
                                new IngestRoute(source, routes, isSuspended, previous.endsAt())));
    }

    private List<Route> enabledRoutes(ConfigurationSnapshot snapshot, SourceId source) {
        var connections = bySource.of(source);
        var routes = new ArrayList<Route>(connections.size());
        for (var id : connections) {
            var route = snapshot.route(id);
            if (route.isPresent() && route.get().connection().enabled()) {
                routes.add(route.get());
            }
        }
        if (routes.size() > 1) {
            routes.sort(OLDEST_FIRST);
        }
        return List.copyOf(routes);
    }

    /// An index of connection ids by source or by destination. Copies each set before changing it
    /// for the first time, because published snapshots share the set.
    private static final class ConnectionIndex<K> {

        private final Map<K, Set<ConnectionId>> sets;
        private final Set<K> copied = new HashSet<>();

        /// @param sets the map to change; a set in this map is not changed, but replaced by a
        ///   changed copy
        ConnectionIndex(Map<K, Set<ConnectionId>> sets) {
            this.sets = sets;
        }

        Map<K, Set<ConnectionId>> map() {
            return sets;
        }

        Set<ConnectionId> of(K key) {
            return sets.getOrDefault(key, Set.of());
        }

        /// Adds a connection. A key's first connection is stored in an immutable set, because most
        /// sources have only one connection, and such a set takes less memory than a [HashSet].
        void add(K key, ConnectionId connection) {
            var known = of(key);
            if (known.isEmpty()) {
                sets.put(key, Set.of(connection));
                copied.remove(key);
            } else if (!known.contains(connection)) {
                own(key).add(connection);
            }
        }

        void remove(K key, ConnectionId connection) {
            var known = of(key);
            if (known.contains(connection)) {
                if (known.size() == 1) {
                    sets.remove(key);
                    copied.remove(key);
                } else {
                    own(key).remove(connection);
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
