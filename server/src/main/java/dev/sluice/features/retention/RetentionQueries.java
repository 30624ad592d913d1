package dev.sluice.features.retention;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.time.Instant;
import java.util.List;

/// Reads all sources together with the plan that determines their retention, and finds deleted
/// configuration that no history refers to.
final class RetentionQueries {

    /// A source, possibly trashed or purged.
    ///
    /// @param plan the name of the workspace's plan
    /// @param changedAt when the workspace was last changed; that change may have been a change of
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

    /// Returns the purged sources that have no stored events and no hourly counts.
    ///
    /// If a source has neither, nothing refers to its connections either: the hourly counts for
    /// their deliveries are kept exactly as long as those for the source's events.
    static List<SourceId> unnamed(Tx tx, List<SourceId> purged) {
        return tx.query(
                """
                select wanted.id
                  from unnest(?::uuid[]) as wanted (id)
                 where not exists (select from event where source_id = wanted.id)
                   and not exists (select from rollup_hour where kind = any (?) and key = wanted.id)
                """,
                row -> new SourceId(row.uuid("id")),
                purged.stream().map(SourceId::value).toList(),
                UsageKind.numbers());
    }

    /// Returns the deleted connections that have no counts. Such a connection never had a delivery.
    static List<ConnectionId> unused(Tx tx, List<ConnectionId> deleted) {
        return tx.query(
                """
                select wanted.id
                  from unnest(?::uuid[]) as wanted (id)
                 where not exists (select from total where kind = any (?) and key = wanted.id)
                   and not exists (select from rollup_hour where kind = any (?) and key = wanted.id)
                """,
                row -> new ConnectionId(row.uuid("id")),
                deleted.stream().map(ConnectionId::value).toList(),
                UsageKind.numbers(),
                UsageKind.numbers());
    }

    /// Whether all usage that was written before `time` has been moved from the ledger to the sums.
    static boolean isFolded(Tx tx, Instant time) {
        return tx.query(
                        "select batch from ledger where batch < ? limit 1",
                        row -> row.uuid("batch"),
                        Uuid7.floor(time))
                .isEmpty();
    }
}
