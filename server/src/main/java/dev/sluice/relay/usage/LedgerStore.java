package dev.sluice.relay.usage;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.UsageKind;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.UUID;

/// Writes the usage ledger and folds it: adds its rows to sums by hour, by day and in total. Events
/// are also counted by minute.
public final class LedgerStore {

    private LedgerStore() {}

    /// Stores the usage of one batch, and its row in the log of commits, in the same transaction as
    /// the batch itself.
    ///
    /// @param source any source in the batch
    public static void write(Tx tx, LedgerRow row, UUID batch, SourceId source) {
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
        // One statement, because each costs the writers of events and of results a round trip.
        tx.update(
                """
                with logged as (
                  insert into commit_log (xid, overlap, events_from, outcomes_from, outcomes_to, outcomes)
                  values (pg_current_xact_id()::text::bigint,
                          pg_current_xact_id()::text::bigint
                            - pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
                          ?, ?, ?, ?))
                insert into ledger (batch, source_id, kinds, keys, hours, minutes, dims,
                                    counts, sizes)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                commit.eventsFrom(),
                commit.outcomesFrom(),
                commit.outcomesTo(),
                commit.listedOutcomes(),
                batch,
                source.value(),
                kinds,
                keys,
                hours,
                minutes,
                dims,
                counts,
                sizes);
    }

    /// Moves all current ledger rows into the sums. Returns the number of batches moved.
    public static int fold(Tx tx) {
        return tx.single(
                """
                with folded as (
                  delete from ledger returning kinds, keys, hours, minutes, dims, counts, sizes),
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
                         case when kind = ?
                              then array(select coalesce(ns[array_position(at, m)], 0)
                                           from generate_series(0, 59) as m order by m) end
                    from sums order by kind, key, hour, dim
                  on conflict (kind, key, hour, dim)
                     do update set n = rollup_hour.n + excluded.n, size = rollup_hour.size + excluded.size,
                                   minutes = case when excluded.kind = ?
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
                """,
                row -> row.integer("batches"),
                UsageKind.EVENTS.number(),
                UsageKind.EVENTS.number());
    }

    /// Deletes up to `limit` hourly sums of hours before `before`. Keeps daily sums and totals.
    /// Returns how many sums were deleted.
    public static int deleteHoursBefore(Tx tx, Instant before, int limit) {
        return tx.update(
                """
                delete from rollup_hour
                 where ctid = any (array(select ctid from rollup_hour where hour < ? limit ?))
                """,
                (int) (before.getEpochSecond() / Duration.ofHours(1).toSeconds()),
                limit);
    }
}
