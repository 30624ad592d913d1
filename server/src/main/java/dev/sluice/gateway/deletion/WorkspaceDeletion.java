package dev.sluice.gateway.deletion;

import dev.sluice.account.access.SessionStore;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.gateway.alertconfig.AlertConfigStore;
import dev.sluice.gateway.connection.ConnectionStore;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.source.TrashStore;
import dev.sluice.platform.db.Tx;

import java.time.Instant;

/// Deletes a workspace: ends all access to it and erases its configuration.
///
/// The rows of the configuration stay, without what users entered, because the nodes' memory and
/// the history still name their ids. Waiting deliveries end as if their connections had been
/// deleted.
public final class WorkspaceDeletion {

    private final DestinationStore destinations;

    public WorkspaceDeletion(DestinationStore destinations) {
        this.destinations = destinations;
    }

    /// @param version the configuration version assigned to the deletion
    void delete(Tx tx, WorkspaceId workspace, Instant now, long version) {
        WorkspaceStore.delete(tx, workspace, now, version);
        eraseConfiguration(tx, workspace, now, version);
    }

    /// Erases the access to a deleted workspace and its configuration. Repeating this also removes
    /// what a request created that was running at the time of the deletion.
    public void eraseConfiguration(Tx tx, WorkspaceId workspace, Instant now, long version) {
        SessionStore.endAccess(tx, workspace);
        var sources = TrashStore.purgeAll(tx, workspace, now, version);
        ConnectionStore.purge(tx, sources, now, version);
        AlertConfigStore.deleteAll(tx, workspace);
        destinations.eraseAll(tx, workspace, now, version);
    }
}
