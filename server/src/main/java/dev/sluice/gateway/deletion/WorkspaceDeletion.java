package dev.sluice.gateway.deletion;

import dev.sluice.account.access.SessionStore;
import dev.sluice.account.idempotency.IdempotencyStore;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.gateway.alertconfig.AlertConfigStore;
import dev.sluice.gateway.connection.ConnectionStore;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.source.ReplacedSourceStore;
import dev.sluice.gateway.source.TrashStore;
import dev.sluice.platform.db.Tx;

import java.time.Instant;

/// Deletes a workspace: ends all access to it and erases its configuration.
///
/// The rows of sources, connections and destinations stay in the database, but the names, URLs,
/// secrets, filters and transformations in them are erased. The rows are kept because the history,
/// and the configuration that nodes have in memory, still refer to their ids. Waiting deliveries
/// end as if their connections had been deleted.
public final class WorkspaceDeletion {

    private final DestinationStore destinations;

    public WorkspaceDeletion(DestinationStore destinations) {
        this.destinations = destinations;
    }

    /// @param version the configuration version that the deletion creates
    void delete(Tx tx, WorkspaceId workspace, Instant now, long version) {
        WorkspaceStore.delete(tx, workspace, now, version);
        eraseConfiguration(tx, workspace, now, version);
    }

    /// Ends all access to a deleted workspace and erases its configuration. A second call also
    /// erases anything created by a request that was still running during the first call.
    public void eraseConfiguration(Tx tx, WorkspaceId workspace, Instant now, long version) {
        SessionStore.endAccess(tx, workspace);
        var sources = TrashStore.purgeAll(tx, workspace, now, version);
        ReplacedSourceStore.removeOf(tx, sources);
        ConnectionStore.purge(tx, sources, now, version);
        AlertConfigStore.deleteAll(tx, workspace);
        IdempotencyStore.deleteAll(tx, workspace.value());
        destinations.eraseAll(tx, workspace, now, version);
    }
}
