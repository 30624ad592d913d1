package dev.sluice.gateway.routing;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.gateway.ConfigurationChange;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.connection.ConnectionStore;
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

/// The configuration of all workspaces in memory.
///
/// A node reads only what changed since the version it knows: its own changes before they are
/// answered, those of other nodes within half a second. Versions are committed in order, so none is
/// skipped. Safe for use by many threads.
public final class Routing implements RouteMap, ConfigurationChange, Loop.Step {

    /// Everything by its id, and what follows from it. Never changed after it is published.
    private record Snapshot(
            long version,
            Map<SourceId, SourceStore.Version> sources,
            Map<DestinationId, DestinationStore.Version> destinations,
            Map<ConnectionId, ConnectionStore.Version> connections,
            Map<String, Inlet> inlets,
            Map<WorkspaceId, String> plans) {

        static final Snapshot EMPTY =
                new Snapshot(-1, Map.of(), Map.of(), Map.of(), Map.of(), Map.of());

        Optional<Route> route(ConnectionStore.Version version) {
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

    /// Written under the monitor of this object, read without.
    private volatile Snapshot snapshot = Snapshot.EMPTY;

    private Routing(Db db, SourceStore sources, DestinationStore destinations) {
        this.db = db;
        this.sourceStore = sources;
        this.destinations = destinations;
    }

    public static Routing open(Db db, SourceStore sources, DestinationStore destinations) {
        var routing = new Routing(db, sources, destinations);
        routing.refresh();
        return routing;
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /// The source of an ingest token; empty when there is none, or it is in the trash.
    public Optional<Inlet> inlet(String token) {
        return Optional.ofNullable(snapshot.inlets().get(token));
    }

    @Override
    public Optional<Route> route(ConnectionId connection) {
        var current = snapshot;
        return Optional.ofNullable(current.connections().get(connection)).flatMap(current::route);
    }

    @Override
    public Optional<Gone> gone(ConnectionId connection) {
        var current = snapshot;
        var version = current.connections().get(connection);
        if (version == null) {
            return Optional.empty();
        }
        if (version.isDeleted()) {
            return Optional.of(Gone.CONNECTION);
        }
        var destination = current.destinations().get(version.connection().destination());
        return destination != null && destination.isDeleted()
                ? Optional.of(Gone.DESTINATION)
                : Optional.empty();
    }

    /// The source, unless it is in the trash.
    public Optional<Source> source(SourceId id) {
        return Optional.ofNullable(snapshot.sources().get(id))
                .filter(version -> !version.isTrashed())
                .map(SourceStore.Version::source);
    }

    /// The workspace of a source, in the trash or not; empty for a source not known here yet.
    public Optional<WorkspaceId> workspace(SourceId source) {
        return Optional.ofNullable(snapshot.sources().get(source))
                .map(version -> version.source().workspace());
    }

    @Override
    public Optional<Destination> destination(DestinationId id) {
        return Optional.ofNullable(snapshot.destinations().get(id))
                .filter(version -> !version.isDeleted())
                .map(DestinationStore.Version::destination);
    }

    /// The name of a workspace's plan; empty for a workspace not known here yet.
    public String plan(WorkspaceId workspace) {
        return snapshot.plans().getOrDefault(workspace, "");
    }

    @Override
    public void committed() {
        refresh();
    }

    /// One look for changes of other nodes.
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

    private Snapshot read(Tx tx, Snapshot before) {
        long version =
                tx.single("select version from config_version", row -> row.number("version"));
        if (version == before.version()) {
            return before;
        }
        var sources = new HashMap<>(before.sources());
        var changed = new LinkedHashSet<SourceId>();
        for (var source : sourceStore.changedAfter(tx, before.version())) {
            sources.put(source.source().id(), source);
            changed.add(source.source().id());
        }
        var targets = new HashMap<>(before.destinations());
        var changedTargets = new LinkedHashSet<DestinationId>();
        for (var destination : destinations.changedAfter(tx, before.version())) {
            targets.put(destination.destination().id(), destination);
            changedTargets.add(destination.destination().id());
        }
        var connections = new HashMap<>(before.connections());
        for (var connection : ConnectionStore.changedAfter(tx, before.version())) {
            changed.add(connection.connection().source());
            connections.put(connection.connection().id(), connection);
        }
        connections.values().stream()
                .map(ConnectionStore.Version::connection)
                .filter(connection -> changedTargets.contains(connection.destination()))
                .forEach(connection -> changed.add(connection.source()));
        var plans = new HashMap<>(before.plans());
        for (var workspace : WorkspaceStore.changedAfter(tx, before.version())) {
            plans.put(workspace.id(), workspace.plan());
        }
        var bare = new Snapshot(version, sources, targets, connections, before.inlets(), plans);
        return new Snapshot(version, sources, targets, connections, inlets(bare, changed), plans);
    }

    private static Map<String, Inlet> inlets(Snapshot snapshot, Set<SourceId> changed) {
        var routes = new HashMap<SourceId, List<Route>>();
        snapshot.connections().values().stream()
                .filter(version -> changed.contains(version.connection().source()))
                .flatMap(version -> snapshot.route(version).stream())
                .filter(route -> route.connection().enabled())
                .sorted(OLDEST_FIRST)
                .forEach(route ->
                        routes.computeIfAbsent(route.source().id(), _ -> new ArrayList<>())
                                .add(route));
        var inlets = new HashMap<>(snapshot.inlets());
        for (var id : changed) {
            var source = snapshot.sources().get(id);
            if (source == null || source.isTrashed()) {
                inlets.values().removeIf(inlet -> inlet.source().id().equals(id));
            } else {
                inlets.put(
                        source.source().token(),
                        new Inlet(source.source(), routes.getOrDefault(id, List.of())));
            }
        }
        return inlets;
    }
}
