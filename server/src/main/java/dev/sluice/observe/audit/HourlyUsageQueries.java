package dev.sluice.observe.audit;

import dev.sluice.observe.DeliveryStatusSql;
import dev.sluice.observe.audit.HourlyUsage.HourlyUsageCount;
import dev.sluice.observe.audit.HourlyUsage.HourlyUsageKey;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.UsageKind;

import java.util.List;
import java.util.UUID;

/// Reads the usage counts for one hour, either from the usage tables or by counting the rows
/// themselves.
final class HourlyUsageQueries {

    /// The statuses of finished deliveries that have a row. Filtered deliveries have none.
    private static final List<DeliveryStatus> STATUSES_WITH_ROW =
            List.of(DeliveryStatus.SUCCEEDED, DeliveryStatus.FAILED, DeliveryStatus.EXHAUSTED);

    private HourlyUsageQueries() {}

    /// Returns the recorded usage: the counts in the usage tables plus those still in the ledger.
    ///
    /// @param hour the number of hours since 1970
    static HourlyUsage fromRollups(Tx tx, int hour) {
        var usage = new HourlyUsage();
        tx.query(
                """
                select kind, key, dim, sum(n)::bigint as n, sum(size)::bigint as size
                  from (select kind, key, dim, n, size from rollup_hour where hour = ?
                        union all
                        select entry.kind, entry.key, entry.dim, entry.n, entry.size
                          from ledger, unnest(kinds, keys, hours, dims, counts, sizes)
                                 as entry (kind, key, hour, dim, n, size)
                         where entry.hour = ?) as entry
                 where kind in (%d, %d) or kind = %d and %s
                 group by kind, key, dim
                """
                        .formatted(
                                UsageKind.EVENTS.number(),
                                UsageKind.DELIVERIES.number(),
                                UsageKind.OUTCOMES.number(),
                                DeliveryStatusSql.in("dim", STATUSES_WITH_ROW)),
                row -> {
                    usage.add(
                            new HourlyUsageKey(
                                    UsageKind.fromNumber(row.integer("kind")),
                                    row.uuid("key"),
                                    row.integer("dim")),
                            new HourlyUsageCount(row.number("n"), row.number("size")));
                    return true;
                },
                hour,
                hour);
        return usage;
    }

    /// Counts the rows with ids from `from` up to but not including `to`.
    ///
    /// @param sources all sources that have events in that range
    static HourlyUsage fromRows(Tx tx, List<UUID> sources, UUID from, UUID to) {
        var usage = new HourlyUsage();
        tx.query(
                """
                select source_id, verification, count(*) as n, sum(body_size)::bigint as size
                  from event
                 where source_id = any (?) and id >= ? and id < ?
                 group by source_id, verification
                """,
                row -> {
                    usage.add(
                            new HourlyUsageKey(
                                    UsageKind.EVENTS,
                                    row.uuid("source_id"),
                                    row.integer("verification")),
                            new HourlyUsageCount(row.number("n"), row.number("size")));
                    return true;
                },
                sources,
                from,
                to);
        tx.query(
                """
                select connection_id, trigger, status, count(*) as n
                  from (select connection_id, trigger, 0 as status from delivery_work where id >= ? and id < ?
                        union all
                        select connection_id, trigger, status from delivery where id >= ? and id < ?) as made
                 group by connection_id, trigger, status
                """,
                row -> {
                    var connection = row.uuid("connection_id");
                    var count = new HourlyUsageCount(row.number("n"), 0);
                    int status = row.integer("status");
                    usage.add(
                            new HourlyUsageKey(
                                    UsageKind.DELIVERIES, connection, row.integer("trigger")),
                            count);
                    if (status != 0) {
                        usage.add(
                                new HourlyUsageKey(UsageKind.OUTCOMES, connection, status), count);
                    }
                    return true;
                },
                from,
                to,
                from,
                to);
        return usage;
    }
}
