package dev.sluice.gateway.routing;

import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.gateway.connection.ConnectionQueries;
import dev.sluice.gateway.connection.ConnectionQueries.ConnectionVersion;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.destination.DestinationStore.DestinationVersion;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.gateway.source.SourceStore.SourceVersion;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Tx;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
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

    /// Reads what changed after the version `known`. All statements of the transaction must see the
    /// same database snapshot, as in [dev.sluice.platform.db.Db#snapshot].
    static ConfigurationChanges read(
            Tx tx, long known, SourceStore sources, DestinationStore destinations) {
        long version = WorkspaceStore.configVersion(tx);
        if (version == known) {
            return new ConfigurationChanges(version, List.of(), List.of(), List.of(), List.of());
        }
        var workspaces = WorkspaceStore.changedAfter(tx, known);
        if (known != NO_VERSION) {
            return new ConfigurationChanges(
                    version,
                    sources.changedAfter(tx, known),
                    destinations.changedAfter(tx, known),
                    ConnectionQueries.changedAfter(tx, known),
                    workspaces);
        }
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.BITMAP_SCAN);
        return new ConfigurationChanges(
                version,
                pages(
                        after -> sources.live(tx, after, PAGE_ROWS),
                        row -> row.source().id().value()),
                pages(
                        after -> destinations.live(tx, after, PAGE_ROWS),
                        row -> row.destination().id().value()),
                pages(
                        after -> ConnectionQueries.live(tx, after, PAGE_ROWS),
                        row -> row.connection().id().value()),
                workspaces);
    }

    private static <T> List<T> pages(Function<UUID, List<T>> read, Function<T, UUID> id) {
        var all = new ArrayList<T>();
        var page = read.apply(BEFORE_ALL);
        all.addAll(page);
        while (page.size() == PAGE_ROWS) {
            page = read.apply(id.apply(page.getLast()));
            all.addAll(page);
        }
        return all;
    }
}
