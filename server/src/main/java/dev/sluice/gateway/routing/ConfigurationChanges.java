package dev.sluice.gateway.routing;

import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.gateway.connection.ConnectionQueries;
import dev.sluice.gateway.connection.ConnectionQueries.ConnectionVersion;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.destination.DestinationStore.DestinationVersion;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.gateway.source.SourceStore.SourceVersion;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.SharedSnapshot;
import dev.sluice.platform.db.Tx;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/// The configuration rows that changed after a given version. For a node that has read nothing yet,
/// these are all rows that are not deleted.
///
/// @param version the configuration version at which the rows were read
record ConfigurationChanges(
        long version,
        List<SourceVersion> sources,
        List<DestinationVersion> destinations,
        List<ConnectionVersion> connections,
        List<Workspace> workspaces) {

    /// The version of a node that has read nothing yet.
    static final long NO_VERSION = -1;

    /// The maximum number of rows that one query reads. The limit keeps both the query and the
    /// decoding of its rows short.
    private static final int PAGE_ROWS = 5_000;

    private static final UUID BEFORE_ALL = new UUID(0, 0);

    /// Reads all rows that are not deleted, for a node that has read nothing yet. A deleted
    /// workspace is included until its data has been erased. Reads sources, destinations and
    /// connections concurrently, because node startup waits for them.
    static ConfigurationChanges readAll(
            Db db, SourceStore sourceStore, DestinationStore destinationStore) {
        var version = new AtomicLong();
        var workspaces = new ArrayList<Workspace>();
        var sources = new ArrayList<SourceVersion>();
        var destinations = new ArrayList<DestinationVersion>();
        var connections = new ArrayList<ConnectionVersion>();
        SharedSnapshot.read(
                db,
                List.of(
                        tx -> {
                            version.set(WorkspaceStore.configVersion(tx));
                            workspaces.addAll(WorkspaceStore.changedAfter(tx, NO_VERSION));
                            readPages(
                                    tx,
                                    ConnectionQueries::live,
                                    row -> row.connection().id().value(),
                                    connections);
                        },
                        tx ->
                                readPages(
                                        tx,
                                        destinationStore::live,
                                        row -> row.destination().id().value(),
                                        destinations),
                        tx ->
                                readPages(
                                        tx,
                                        sourceStore::live,
                                        row -> row.source().id().value(),
                                        sources)));
        return new ConfigurationChanges(
                version.get(), sources, destinations, connections, workspaces);
    }

    /// Reads what changed after the version `known`. All statements in the transaction must see the
    /// same database snapshot, as in [Db#snapshot].
    static ConfigurationChanges read(
            Tx tx, long known, SourceStore sources, DestinationStore destinations) {
        long version = WorkspaceStore.configVersion(tx);
        if (version == known) {
            return new ConfigurationChanges(version, List.of(), List.of(), List.of(), List.of());
        }
        return new ConfigurationChanges(
                version,
                sources.changedAfter(tx, known),
                destinations.changedAfter(tx, known),
                ConnectionQueries.changedAfter(tx, known),
                WorkspaceStore.changedAfter(tx, known));
    }

    /// Reads up to `limit` rows with an id above `after`, ordered by id.
    @FunctionalInterface
    private interface PageQuery<T> {
        List<T> read(Tx tx, UUID after, int limit);
    }

    private static <T> void readPages(
            Tx tx, PageQuery<T> query, Function<T, UUID> id, List<T> rows) {
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.BITMAP_SCAN);
        var page = query.read(tx, BEFORE_ALL, PAGE_ROWS);
        rows.addAll(page);
        while (page.size() == PAGE_ROWS) {
            page = query.read(tx, id.apply(page.getLast()), PAGE_ROWS);
            rows.addAll(page);
        }
    }
}
