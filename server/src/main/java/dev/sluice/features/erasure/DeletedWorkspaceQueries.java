package dev.sluice.features.erasure;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeletedWorkspace;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;

import java.util.List;
import java.util.UUID;

/// Reads the sources and connections of a deleted workspace.
final class DeletedWorkspaceQueries {

    private DeletedWorkspaceQueries() {}

    static DeletedWorkspace find(Tx tx, WorkspaceId workspace) {
        return new DeletedWorkspace(workspace, sources(tx, workspace), connections(tx, workspace));
    }

    private static List<SourceId> sources(Tx tx, WorkspaceId workspace) {
        return tx.query(
                "select id from source where workspace_id = ?",
                row -> new SourceId(row.uuid("id")),
                workspace.value());
    }

    private static List<UUID> connections(Tx tx, WorkspaceId workspace) {
        return tx.query(
                """
                select connection.id
                  from source
                  join connection on source_id = source.id
                 where source.workspace_id = ?
                """,
                row -> row.uuid("id"),
                workspace.value());
    }
}
