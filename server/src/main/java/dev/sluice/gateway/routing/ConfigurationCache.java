package dev.sluice.gateway.routing;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.gateway.ConfigurationListener;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.connection.ConnectionQueries;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.loop.Loop;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/// Holds the configuration of all workspaces in memory.
///
/// A node reads only what has changed since the version it already has. It applies its own changes
/// before it answers the API request, and changes made on other nodes within half a second. No
/// version is skipped, because versions commit in order. Thread-safe.
public final class ConfigurationCache implements RoutingTable, ConfigurationListener, Loop.Step {

    /// The configuration at one version. Immutable once published.
    ///
    /// @param ingestRoutes the routes by ingest token; derived from the other maps
    /// @param plans the name of each workspace's plan
    private record ConfigurationSnapshot(
            long version,
            Map<SourceId, SourceStore.SourceVersion> sources,
            Map<DestinationId, DestinationStore.DestinationVersion> destinations,
            Map<ConnectionId, ConnectionQueries.ConnectionVersion> connections,
            Map<String, IngestRoute> ingestRoutes,
            Map<WorkspaceId, String> plans) {

        static final ConfigurationSnapshot EMPTY =
                new ConfigurationSnapshot(-1, Map.of(), Map.of(), Map.of(), Map.of(), Map.of());

        Optional<Route> route(ConnectionQueries.ConnectionVersion version) {
            var connection = version.connection();
            var source = sources.get(connection.source());
            var destination = destinations.get(connection.destination());
            if (version.isDeleted()
                    || source == null
                    || destination == null
                    || destination.isDeleted()) {
                return Optional.empty();
            }
            return Optional.of(
                    new Route(
                            connection,
                            source.source(),
                            source.isTrashed(),
                            destination.destination()));
        }
    }

    private static final Comparator<Route> OLDEST_FIRST =
            Comparator.comparing((Route route) -> route.connection().createdAt())
                    .thenComparing(route -> route.connection().id().value());

    private final Db db;
    private final SourceStore sourceStore;
    private final DestinationStore destinations;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /// Written while holding this object's monitor, but read without it.
    private volatile ConfigurationSnapshot snapshot = ConfigurationSnapshot.EMPTY;

    private ConfigurationCache(Db db, SourceStore sources, DestinationStore destinations) {
        this.db = db;
        this.sourceStore = sources;
        this.destinations = destinations;
    }

    public static ConfigurationCache open(
            Db db, SourceStore sources, DestinationStore destinations) {
        var configuration = new ConfigurationCache(db, sources, destinations);
        configuration.refresh();
        return configuration;
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /// Returns the route for an ingest token, or empty if the token is unknown or its source is in
    /// the trash.
    public Optional<IngestRoute> ingestRoute(String token) {
        return Optional.ofNullable(snapshot.ingestRoutes().get(token));
    }

    @Override
    public Optional<Route> route(ConnectionId connection) {
        var current = snapshot;
        return Optional.ofNullable(current.connections().get(connection)).flatMap(current::route);
    }

    @Override
    public Optional<RouteDeletion> deletion(ConnectionId connection) {
        var current = snapshot;
        var version = current.connections().get(connection);
        if (version == null) {
            return Optional.empty();
        }
        if (version.isDeleted()) {
            return Optional.of(RouteDeletion.CONNECTION);
        }
        var destination = current.destinations().get(version.connection().destination());
        return destination != null && destination.isDeleted()
                ? Optional.of(RouteDeletion.DESTINATION)
                : Optional.empty();
    }

    /// Returns the source, or empty if it is in the trash or this node does not know it.
    public Optional<Source> source(SourceId id) {
        return Optional.ofNullable(snapshot.sources().get(id))
                .filter(version -> !version.isTrashed())
                .map(SourceStore.SourceVersion::source);
    }

    /// Returns the workspace that owns a source, even if the source is in the trash. Empty if this
    /// node does not know the source yet.
    public Optional<WorkspaceId> workspace(SourceId source) {
        return Optional.ofNullable(snapshot.sources().get(source))
                .map(version -> version.source().workspace());
    }

    @Override
    public Optional<Destination> destination(DestinationId id) {
        return Optional.ofNullable(snapshot.destinations().get(id))
                .filter(version -> !version.isDeleted())
                .map(DestinationStore.DestinationVersion::destination);
    }

    /// Returns the destinations with settings that this node cannot read. Looks at all there are.
    public List<Destination> unreadableDestinations() {
        return snapshot.destinations().values().stream()
                .filter(version -> !version.isDeleted() && !version.destination().isReadable())
                .map(DestinationStore.DestinationVersion::destination)
                .toList();
    }

    /// Returns the name of the workspace's plan, or an empty text if this node does not know the
    /// workspace yet.
    public String plan(WorkspaceId workspace) {
        return snapshot.plans().getOrDefault(workspace, "");
    }

    @Override
    public void onCommit() {
        refresh();
    }

    /// Applies the changes made on other nodes.
    @Override
    public boolean run() {
        refresh();
        return false;
    }

    private void refresh() {
        boolean changed;
        synchronized (this) {
            var before = snapshot;
            snapshot = db.snapshot(tx -> read(tx, before));
            changed = snapshot.version() != before.version();
        }
        if (changed) {
            listeners.forEach(Runnable::run);
        }
    }

    private ConfigurationSnapshot read(Tx tx, ConfigurationSnapshot before) {
        long version = WorkspaceStore.configVersion(tx);
        if (version == before.version()) {
            return before;
        }
        var sources = new HashMap<>(before.sources());
        var changedSources = new LinkedHashSet<SourceId>();
        for (var source : sourceStore.changedAfter(tx, before.version())) {
            UnreadableSettings.report(
                    source, Optional.ofNullable(sources.get(source.source().id())));
            sources.put(source.source().id(), source);
            changedSources.add(source.source().id());
        }
        var destinationsById = new HashMap<>(before.destinations());
        var changedDestinations = new LinkedHashSet<DestinationId>();
        for (var destination : destinations.changedAfter(tx, before.version())) {
            var id = destination.destination().id();
            UnreadableSettings.report(destination, Optional.ofNullable(destinationsById.get(id)));
            destinationsById.put(id, destination);
            changedDestinations.add(id);
        }
        var connections = new HashMap<>(before.connections());
        for (var connection : ConnectionQueries.changedAfter(tx, before.version())) {
            var id = connection.connection().id();
            UnreadableSettings.report(connection, Optional.ofNullable(connections.get(id)));
            changedSources.add(connection.connection().source());
            connections.put(id, connection);
        }
        connections.values().stream()
                .map(ConnectionQueries.ConnectionVersion::connection)
                .filter(connection -> changedDestinations.contains(connection.destination()))
                .forEach(connection -> changedSources.add(connection.source()));
        var plans = new HashMap<>(before.plans());
        for (var workspace : WorkspaceStore.changedAfter(tx, before.version())) {
            plans.put(workspace.id(), workspace.plan());
        }
        var withOldRoutes =
                new ConfigurationSnapshot(
                        version,
                        sources,
                        destinationsById,
                        connections,
                        before.ingestRoutes(),
                        plans);
        return new ConfigurationSnapshot(
                version,
                sources,
                destinationsById,
                connections,
                ingestRoutes(withOldRoutes, changedSources),
                plans);
    }

    /// Rebuilds the routes of the changed sources and keeps the routes of all other sources.
    private static Map<String, IngestRoute> ingestRoutes(
            ConfigurationSnapshot snapshot, Set<SourceId> changed) {
        var routes = new HashMap<SourceId, List<Route>>();
        snapshot.connections().values().stream()
                .filter(version -> changed.contains(version.connection().source()))
                .flatMap(version -> snapshot.route(version).stream())
                .filter(route -> route.connection().enabled())
                .sorted(OLDEST_FIRST)
                .forEach(route ->
                        routes.computeIfAbsent(route.source().id(), _ -> new ArrayList<>())
                                .add(route));
        var updated = new HashMap<>(snapshot.ingestRoutes());
        for (var id : changed) {
            var source = snapshot.sources().get(id);
            if (source == null || source.isTrashed()) {
                updated.values().removeIf(ingestRoute -> ingestRoute.source().id().equals(id));
            } else {
                updated.put(
                        source.source().token(),
                        new IngestRoute(source.source(), routes.getOrDefault(id, List.of())));
            }
        }
        return updated;
    }
}
