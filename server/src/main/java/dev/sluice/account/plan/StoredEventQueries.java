package dev.sluice.account.plan;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;

/// Counts a workspace's stored events.
final class StoredEventQueries {

    private static final int HOURS_PER_DAY = 24;

    private StoredEventQueries() {}

    /// Returns how many events a workspace's sources received between the hour that contains `from`
    /// and the hour that contains `to`, inclusive.
    ///
    /// Adds up the hourly counts for the first and last days and the daily counts for the days
    /// between them. Hourly counts are kept for at least [UsageKind#HOURLY_RETENTION]. If the first
    /// or last day is older than that, its events might not be counted.
    static long count(Tx tx, WorkspaceId workspace, Instant from, Instant to) {
        long first = hour(from);
        long last = hour(to);
        return tx.single(
                """
                select coalesce(sum(n), 0)::bigint as n
                  from (select rollup_day.n
                          from source
                          join rollup_day on kind = %1$d and key = source.id
                         where workspace_id = ? and purged_at is null
                           and day > ? and day < ?
                        union all
                        select rollup_hour.n
                          from source
                          join rollup_hour on kind = %1$d and key = source.id
                         where workspace_id = ? and purged_at is null
                           and hour between ? and ?
                           and hour / 24 in (?, ?)) as counted
                """
                        .formatted(UsageKind.EVENTS.number()),
                row -> row.number("n"),
                workspace.value(),
                first / HOURS_PER_DAY,
                last / HOURS_PER_DAY,
                workspace.value(),
                first,
                last,
                first / HOURS_PER_DAY,
                last / HOURS_PER_DAY);
    }

    private static long hour(Instant time) {
        return time.getEpochSecond() / Duration.ofHours(1).toSeconds();
    }
}
