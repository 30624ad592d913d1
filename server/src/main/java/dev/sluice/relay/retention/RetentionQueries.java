package dev.sluice.relay.retention;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.List;

/// Reads all sources with the plan that decides their retention.
final class RetentionQueries {

    /// A source, possibly trashed or purged.
    ///
    /// @param plan plan of its workspace
    /// @param changedAt time of the last change to its workspace, which may have been a change of
    ///   plan
    record RetainedSource(
            SourceId source,
            WorkspaceId workspace,
            String plan,
            Instant changedAt,
            boolean isTrashed) {}

    private RetentionQueries() {}

    static List<RetainedSource> sources(Tx tx) {
        return tx.query(
                """
                select source.id, workspace_id, plan, workspace.updated_at, trashed_at is not null as is_trashed
                  from source
                  join workspace on workspace.id = workspace_id
                """,
                row ->
                        new RetainedSource(
                                new SourceId(row.uuid("id")),
                                new WorkspaceId(row.uuid("workspace_id")),
                                row.text("plan"),
                                row.instant("updated_at"),
                                row.bool("is_trashed")));
    }
}
