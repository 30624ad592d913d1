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
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;

import java.util.List;
import java.util.Optional;

/// An in-memory cache of all workspaces' current configuration, without deleted rows.
///
/// A node reads only what has changed since the version that it already has. It applies its own
/// changes before it responds to the API request. It applies changes made on other nodes in its
/// next round; a round runs every half second, or every second while the node is idle. No version
/// is skipped, because versions commit in order. Thread-safe.
public final class ConfigurationCache implements RoutingTable, ConfigurationListener, Loop.Step {

    /// The maximum number of deleted connections that one query looks up.
    private static final int LOOKUP_CHUNK = 1_000;

    private final Db db;
    private final SourceStore sourceStore;
    private final DestinationStore destinations;
    private final DeletedConnections deleted = new DeletedConnections();
    private final Wake changed;

    /// Written while holding this object's monitor, but read without it.
    private volatile ConfigurationSnapshot snapshot = ConfigurationSnapshot.EMPTY;

    private ConfigurationCache(
            Db db, SourceStore sources, DestinationStore destinations, Wake changed) {
        this.db = db;
        this.sourceStore = sources;
        this.destinations = destinations;
        this.changed = changed;
    }

    /// @param changed called after each change to what the cache returns
    public static ConfigurationCache open(
            Db db, SourceStore sources, DestinationStore destinations, Wake changed) {
        var configuration = new ConfigurationCache(db, sources, destinations, changed);
        configuration.refresh();
        return configuration;
    }

    /// Returns the route for an ingest token, or empty if the token is unknown or its source is in
    /// the trash. A token that was replaced may have expired; the caller must check
    /// [IngestRoute#isOpen].
    public Optional<IngestRoute> ingestRoute(String token) {
        return Optional.ofNullable(snapshot.ingestRoutes().get(token));
    }

    @Override
    public Optional<Route> route(ConnectionId connection) {
        return snapshot.route(connection);
    }

    /// Returns empty at first if the connection is deleted but its deletion is not in memory. The
    /// next round looks the connection up, and later calls return its deletion.
    @Override
    public Optional<RouteDeletion> deletion(ConnectionId connection) {
        return snapshot.connections().containsKey(connection)
                ? Optional.empty()
                : deleted.find(connection);
    }

    /// Returns the source, or empty if it is in the trash, if it has been purged, or if this node
    /// does not know it yet.
    public Optional<Source> source(SourceId id) {
        return Optional.ofNullable(snapshot.sources().get(id))
                .filter(version -> !version.isTrashed())
                .map(SourceStore.SourceVersion::source);
    }

    /// Returns the workspace that owns a source, even if the source is in the trash. Returns empty
    /// if the source has been purged, or if this node does not know it yet.
    public Optional<WorkspaceId> workspace(SourceId source) {
        return Optional.ofNullable(snapshot.sources().get(source))
                .map(version -> version.source().workspace());
    }

    @Override
    public Optional<Destination> destination(DestinationId id) {
        return Optional.ofNullable(snapshot.destinations().get(id))
                .map(DestinationStore.DestinationVersion::destination);
    }

    /// Returns the destinations with settings that this node cannot read. Scans all destinations.
    public List<Destination> unreadableDestinations() {
        return snapshot.destinations().values().stream()
                .filter(version -> !version.isDeleted() && !version.destination().isReadable())
                .map(DestinationStore.DestinationVersion::destination)
                .toList();
    }

    /// Returns the sources with settings that this node cannot read, except sources in the trash.
    /// Scans all sources.
    public List<Source> unreadableSources() {
        return snapshot.sources().values().stream()
                .filter(version -> !version.isTrashed())
                .map(SourceStore.SourceVersion::source)
                .filter(source -> !source.unreadableFields().isEmpty())
                .toList();
    }

    /// Returns the name of the workspace's plan, or an empty string if this node does not know the
    /// workspace yet.
    public String plan(WorkspaceId workspace) {
        var known = snapshot.workspaces().get(workspace);
        return known == null ? "" : known.plan();
    }

    /// Whether the operator has suspended the workspace, as far as this node knows.
    public boolean isSuspended(WorkspaceId workspace) {
        return snapshot.isSuspended(workspace);
    }

    @Override
    public void onCommit() {
        refresh();
    }

    /// Applies the changes made on other nodes, and looks up the deleted connections that callers
    /// have asked for.
    @Override
    public boolean run() {
        refresh();
        findDeleted();
        return false;
    }

    private void refresh() {
        if (db.statement(WorkspaceStore::configVersion) == snapshot.version()) {
            return;
        }
        boolean isChanged;
        synchronized (this) {
            var before = snapshot;
            var changes = changesSince(before.version());
            isChanged = changes.version() != before.version();
            if (isChanged) {
                snapshot = SnapshotBuilder.build(before, changes, deleted);
            }
        }
        if (isChanged) {
            changed.wake();
        }
    }

    private ConfigurationChanges changesSince(long version) {
        return version == ConfigurationChanges.NO_VERSION
                ? ConfigurationChanges.readAll(db, sourceStore, destinations)
                : db.snapshot(
                        tx -> ConfigurationChanges.read(tx, version, sourceStore, destinations));
    }

    private void findDeleted() {
        boolean isAnyFound = false;
        var asked = deleted.takeAsked(LOOKUP_CHUNK);
        while (!asked.isEmpty()) {
            var chunk = asked;
            for (var ended : db.call(tx -> ConnectionQueries.ended(tx, chunk))) {
                deleted.add(
                        ended.id(),
                        ended.isByDestination()
                                ? RouteDeletion.DESTINATION
                                : RouteDeletion.CONNECTION);
                isAnyFound = true;
            }
            asked = deleted.takeAsked(LOOKUP_CHUNK);
        }
        if (isAnyFound) {
            changed.wake();
        }
    }
}
