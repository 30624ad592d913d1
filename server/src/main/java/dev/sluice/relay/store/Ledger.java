package dev.sluice.relay.store;

import dev.sluice.platform.db.Tx;

/// Folds the ledger into sums by hour (of events, by minute too), by day and in all.
public final class Ledger {

    private Ledger() {}

    /// Moves what the ledger holds now into the sums. How many batches that were.
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
                         case when kind = 1
                              then array(select coalesce(ns[array_position(at, m)], 0)
                                           from generate_series(0, 59) as m order by m) end
                    from sums order by kind, key, hour, dim
                  on conflict (kind, key, hour, dim)
                     do update set n = rollup_hour.n + excluded.n, size = rollup_hour.size + excluded.size,
                                   minutes = case when excluded.kind = 1
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
                row -> row.integer("batches"));
    }
}
