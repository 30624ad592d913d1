package dev.sluice.engine.ledger;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.SqlStatement;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/// Writes the usage ledger and folds it: moves its rows into sums by hour, by day and in total.
/// Events and refusals are also counted by minute.
public final class LedgerStore {

    private static final List<Integer> KINDS_BY_MINUTE =
            List.of(UsageKind.EVENTS.number(), UsageKind.REFUSALS.number());

    /// The key of a batch's row.
    record BatchKey(UUID batch, UUID source) {}

    /// The outcome of a transaction.
    public enum TransactionStatus {
        COMMITTED,
        ABORTED,
        IN_PROGRESS
    }

    private LedgerStore() {}

    /// Stores one batch's usage, and the batch's row in `commit_log`. Called in the transaction
    /// that writes the batch itself.
    ///
    /// @param source any source in the batch
    public static void write(Tx tx, LedgerRow row, UUID batch, SourceId source) {
        tx.updateAll(statements(row, batch, source));
    }

    /// Returns the statements that [#write] runs, or an empty list if the row is empty.
    public static List<SqlStatement> statements(LedgerRow row, UUID batch, SourceId source) {
        return row.isEmpty() ? List.of() : List.of(statement(row, batch, source));
    }

    private static SqlStatement statement(LedgerRow row, UUID batch, SourceId source) {
        var kinds = new ArrayList<Integer>();
        var keys = new ArrayList<UUID>();
        var hours = new ArrayList<Integer>();
        var minutes = new ArrayList<Integer>();
        var dims = new ArrayList<Integer>();
        var counts = new ArrayList<Integer>();
        var sizes = new ArrayList<Long>();
        row.sums()
                .forEach((key, sum) -> {
                    kinds.add(key.kind().number());
                    keys.add(key.key());
                    hours.add(key.hour());
                    minutes.add(key.minute());
                    dims.add(key.dim());
                    counts.add(sum.count());
                    sizes.add(sum.size());
                });
        var commit = row.commit();
        return new SqlStatement(
                """
                with logged as (
                  insert into commit_log (xid, overlap, events_from, outcomes_from, outcomes_to, outcomes,
                                          failed_connections, failed_statuses, failed_counts,
                                          failed_samples)
                  values (pg_current_xact_id()::text::bigint,
                          pg_current_xact_id()::text::bigint
                            - pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
                          ?, ?, ?, ?, ?, ?, ?, ?))
                insert into ledger (batch, source_id, kinds, keys, hours, minutes, dims,
                                    counts, sizes)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                Arrays.asList(
                        commit.eventsFrom(),
                        commit.outcomesFrom(),
                        commit.outcomesTo(),
                        commit.listedOutcomes(),
                        commit.failedConnections(),
                        commit.failedStatuses(),
                        commit.failedCounts(),
                        commit.failedSamples(),
                        batch,
                        source.value(),
                        kinds,
                        keys,
                        hours,
                        minutes,
                        dims,
                        counts,
                        sizes));
    }

    /// Returns the id of this transaction, to be passed to [#transactionStatus] later.
    public static long transactionNumber(Tx tx) {
        return tx.single(
                "select pg_current_xact_id()::text::bigint as number", row -> row.number("number"));
    }

    /// Returns the outcome of a transaction that may have written a batch. The batch's row in the
    /// ledger does not show the outcome, because the row is deleted when it is folded.
    ///
    /// After a crash, PostgreSQL reuses the ids of transactions that had not reached its log. If
    /// the current transaction's id is not greater than `number`, the transaction was lost in this
    /// way and counts as aborted. If `number` has been reused, the result is the later
    /// transaction's outcome.
    public static TransactionStatus transactionStatus(Tx tx, long number) {
        return tx.single(
                """
                select case when pg_current_xact_id()::text::bigint > ?
                            then coalesce(pg_xact_status(?::text::xid8), 'aborted')
                            else 'aborted' end as status
                """,
                row ->
                        switch (row.text("status")) {
                            case "in progress" -> TransactionStatus.IN_PROGRESS;
                            case "aborted" -> TransactionStatus.ABORTED;
                            default -> TransactionStatus.COMMITTED;
                        },
                number,
                number);
    }

    /// Folds all rows that are currently in the ledger. There is one row for each batch. Returns
    /// the number of folded rows.
    public static int fold(Tx tx) {
        return fold(tx, "", List.of());
    }

    /// Folds these batches' rows, except those that have already been folded. Returns the number of
    /// folded rows.
    static int fold(Tx tx, List<BatchKey> batches) {
        return fold(
                tx,
                "where batch = any (?) and source_id = any (?)",
                List.of(
                        batches.stream().map(BatchKey::batch).toList(),
                        batches.stream().map(BatchKey::source).toList()));
    }

    /// Returns up to `limit` batches that have not been folded yet, oldest first.
    static List<BatchKey> batches(Tx tx, int limit) {
        return tx.query(
                "select batch, source_id from ledger order by batch limit ?",
                row -> new BatchKey(row.uuid("batch"), row.uuid("source_id")),
                limit);
    }

    /// Removes an unreadable row. The row's counts are lost.
    static void discard(Tx tx, BatchKey key) {
        tx.update(
                "delete from ledger where batch = ? and source_id = ?", key.batch(), key.source());
    }

    private static int fold(Tx tx, String condition, List<?> arguments) {
        var all = new ArrayList<Object>(arguments);
        all.add(KINDS_BY_MINUTE);
        all.add(KINDS_BY_MINUTE);
        return tx.single(
                """
                with folded as (
                  delete from ledger %s returning kinds, keys, hours, minutes, dims, counts, sizes),
                by_minute as (
                  select kind, key, hour, minute, dim, sum(n)::integer as n, sum(size)::bigint as size
                    from folded, unnest(kinds, keys, hours, minutes, dims, counts, sizes)
                           as entry (kind, key, hour, minute, dim, n, size)
                   group by kind, key, hour, minute, dim),
                sums as (
                  select kind, key, hour, dim, sum(n)::bigint as n, sum(size)::bigint as size,
                         array_agg(minute::integer) as at, array_agg(n) as ns
                    from by_minute
                   group by kind, key, hour, dim),
                hours as (
                  insert into rollup_hour (kind, key, hour, dim, n, size, minutes)
                  select kind, key, hour, dim, n, size,
                         case when kind = any (?)
                              then array(select coalesce(ns[array_position(at, m)], 0)
                                           from generate_series(0, 59) as m order by m) end
                    from sums order by kind, key, hour, dim
                  on conflict (kind, key, hour, dim)
                     do update set n = rollup_hour.n + excluded.n, size = rollup_hour.size + excluded.size,
                                   minutes = case when excluded.kind = any (?)
                                     then array(select coalesce(rollup_hour.minutes[m], 0) + excluded.minutes[m]
                                                  from generate_series(1, 60) as m order by m) end),
                days as (
                  insert into rollup_day (kind, key, day, dim, n, size)
                  select kind, key, hour / 24, dim, sum(n), sum(size) from sums
                   group by kind, key, hour / 24, dim order by kind, key, hour / 24, dim
                  on conflict (kind, key, day, dim)
                     do update set n = rollup_day.n + excluded.n, size = rollup_day.size + excluded.size),
                totals as (
                  insert into total (kind, key, dim, n, size)
                  select kind, key, dim, sum(n), sum(size) from sums
                   group by kind, key, dim order by kind, key, dim
                  on conflict (kind, key, dim)
                     do update set n = total.n + excluded.n, size = total.size + excluded.size)
                select count(*) as batches from folded
                """
                        .formatted(condition),
                row -> row.integer("batches"),
                all.toArray());
    }

    /// Deletes up to `limit` hourly sums for hours before the given time. Keeps daily sums and
    /// totals. Returns the number of deleted sums.
    public static int deleteHoursBefore(Tx tx, Instant before, int limit) {
        return tx.update(
                """
                delete from rollup_hour
                 where ctid = any (array(select ctid from rollup_hour where hour < ? limit ?))
                """,
                (int) (before.getEpochSecond() / Duration.ofHours(1).toSeconds()),
                limit);
    }

    /// Deletes the sums for these sources and connections, up to `limit` rows in each table.
    /// Returns the number of deleted rows.
    public static int deleteSums(Tx tx, List<UUID> keys, int limit) {
        var kinds = UsageKind.numbers();
        return tx.update(
                        """
                        delete from rollup_hour
                         where ctid = any (array(select ctid from rollup_hour
                                                  where kind = any (?) and key = any (?) limit ?))
                        """,
                        kinds,
                        keys,
                        limit)
                + tx.update(
                        """
                        delete from rollup_day
                         where ctid = any (array(select ctid from rollup_day
                                                  where kind = any (?) and key = any (?) limit ?))
                        """,
                        kinds,
                        keys,
                        limit)
                + tx.update(
                        """
                        delete from total
                         where ctid = any (array(select ctid from total
                                                  where kind = any (?) and key = any (?) limit ?))
                        """,
                        kinds,
                        keys,
                        limit);
    }
}
