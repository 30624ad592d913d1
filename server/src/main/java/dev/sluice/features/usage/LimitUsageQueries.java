package dev.sluice.features.usage;

import dev.sluice.account.plan.MinuteWindow;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.history.counts.RangeSplitter.BucketUnit;
import dev.sluice.history.counts.UsageQueries;
import dev.sluice.history.counts.UsageQueries.UsageCount;
import dev.sluice.history.counts.UsageQueries.UsageSeries;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// Counts how much of its plan's limits a workspace has used.
final class LimitUsageQueries {

    /// Events that failed verification do not count towards the quota.
    private static final List<Integer> COUNTED_STATUSES =
            List.of(
                    (int) VerificationStatus.VERIFIED.number(),
                    (int) VerificationStatus.SKIPPED.number());

    private LimitUsageQueries() {}

    /// Returns how many events the workspace received from `from` up to but not including `to`.
    /// Events from deleted sources are included. Both times must be the start of a UTC day.
    ///
    /// @param tx a transaction started with [dev.sluice.platform.db.Db#snapshot], so that all
    ///   queries see the same data
    static long events(Tx tx, WorkspaceId workspace, Instant from, Instant to) {
        var counts =
                new UsageQueries(tx, UsageSeries.EVENTS, sources(tx, workspace), COUNTED_STATUSES);
        return counts.counts(BucketUnit.DAY, minute(from), minute(to)).stream()
                .mapToLong(UsageCount::n)
                .sum();
    }

    private static long minute(Instant time) {
        return time.getEpochSecond() / Duration.ofMinutes(1).toSeconds();
    }

    private static List<UUID> sources(Tx tx, WorkspaceId workspace) {
        return tx.query(
                "select id from source where workspace_id = ?",
                row -> row.uuid("id"),
                workspace.value());
    }

    /// Returns how many sources the workspace has, not counting those in the trash.
    static long sourceCount(Tx tx, WorkspaceId workspace) {
        return tx.single(
                """
                select count(*) as n
                  from source
                 where workspace_id = ? and trashed_at is null
                """,
                row -> row.number("n"),
                workspace.value());
    }

    /// Returns how many destinations the workspace has.
    static long destinationCount(Tx tx, WorkspaceId workspace) {
        return tx.single(
                """
                select count(*) as n
                  from destination
                 where workspace_id = ? and deleted_at is null
                """,
                row -> row.number("n"),
                workspace.value());
    }

    /// Returns the largest number of connections that any of the workspace's sources has. Sources
    /// in the trash do not count.
    static long mostConnectionsOfSource(Tx tx, WorkspaceId workspace) {
        return tx.single(
                """
                select coalesce(max(n), 0) as n
                  from (select count(*) as n
                          from connection
                          join source on source.id = source_id and trashed_at is null
                          join destination on destination.id = destination_id and destination.deleted_at is null
                         where connection.workspace_id = ? and connection.deleted_at is null
                         group by source_id) as counted
                """,
                row -> row.number("n"),
                workspace.value());
    }

    /// Returns how many API requests were made with the workspace's API keys in the minute that
    /// contains `now`.
    static int apiRequests(Tx tx, WorkspaceId workspace, Instant now) {
        return tx.findOne(
                        "select n from api_use where workspace_id = ? and minute >= ?",
                        row -> row.integer("n"),
                        workspace.value(),
                        MinuteWindow.number(now))
                .orElse(0);
    }
}
