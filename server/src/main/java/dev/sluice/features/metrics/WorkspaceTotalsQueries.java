package dev.sluice.features.metrics;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.platform.db.Tx;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/// Reads what each workspace has. Reads only usage sums, the ledger and small tables.
final class WorkspaceTotalsQueries {

    private WorkspaceTotalsQueries() {}

    /// @param tx a transaction started with [dev.sluice.platform.db.Db#snapshot], so that all
    ///   queries see the same data
    static WorkspaceTotals read(Tx tx) {
        return new WorkspaceTotals(
                unfinished(tx),
                counts(
                        tx,
                        """
                        select workspace_id, count(*) as n
                          from open_stream
                          join node on node.epoch = open_stream.epoch and state = 'live'
                         group by workspace_id
                        """),
                counts(
                        tx,
                        """
                        select workspace_id, count(*) as n
                          from replay_job
                         where finished_at is null
                         group by workspace_id
                        """));
    }

    private static Map<UUID, Long> unfinished(Tx tx) {
        return counts(
                tx,
                """
                select coalesce(workspace_id, '00000000-0000-0000-0000-000000000000') as workspace_id,
                       sum(case kind when %1$d then n else -n end)::bigint as n
                  from (select kind, key, dim, n from total where kind in (%1$d, %2$d)
                        union all
                        select kind, key, dim, n
                          from ledger,
                               unnest(kinds, keys, dims, counts) as unfolded (kind, key, dim, n)
                         where kind in (%1$d, %2$d)) as entry
                  left join connection on connection.id = key
                 where kind = %1$d or dim <> %3$d
                 group by 1
                """
                        .formatted(
                                UsageKind.DELIVERIES.number(),
                                UsageKind.OUTCOMES.number(),
                                (int) DeliveryStatus.FILTERED.number()));
    }

    /// Returns the bytes of the events that each workspace received since a day, in the form in
    /// which they arrived. Reads one row for each source and day.
    ///
    /// @param firstDay the number of the first day, counted from 1970
    static Map<UUID, Long> receivedBytes(Tx tx, long firstDay) {
        return counts(
                tx,
                """
                select workspace_id, sum(size)::bigint as n
                  from rollup_day
                  join source on source.id = key
                 where kind = %d and day >= %d
                 group by workspace_id
                """
                        .formatted(UsageKind.EVENTS.number(), firstDay));
    }

    private static Map<UUID, Long> counts(Tx tx, String sql) {
        Map<UUID, Long> counts = new HashMap<>();
        tx.query(sql, row -> counts.put(row.uuid("workspace_id"), row.number("n")));
        return counts;
    }
}
