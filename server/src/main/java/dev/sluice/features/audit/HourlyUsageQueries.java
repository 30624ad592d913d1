package dev.sluice.features.audit;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.Trigger;
import dev.sluice.features.audit.HourlyUsage.HourlyUsageCount;
import dev.sluice.features.audit.HourlyUsage.HourlyUsageKey;
import dev.sluice.platform.db.Tx;

import java.util.List;
import java.util.UUID;

/// Reads the usage counts for one hour, either from the usage tables or by counting the rows
/// themselves.
final class HourlyUsageQueries {

    /// The kinds of usage whose counts the audit compares with rows. Latencies are left out because
    /// the audit would have to sort them into buckets exactly as the relay does. Refused requests
    /// are left out because they leave no rows.
    private static final List<Integer> AUDITED_KINDS =
            List.of(
                    UsageKind.EVENTS.number(),
                    UsageKind.OUTCOMES.number(),
                    UsageKind.DELIVERIES.number());

    private HourlyUsageQueries() {}

    private static HourlyUsageKey filtered(UUID connection) {
        return new HourlyUsageKey(UsageKind.OUTCOMES, connection, DeliveryStatus.FILTERED.number());
    }

    /// Returns the key under which the audit counts the deliveries that ingest planned for a
    /// connection. Unlike the recorded number of created deliveries, this count includes deliveries
    /// whose event did not match the connection's filter. It can therefore only grow, while the
    /// recorded number falls when a delivery is filtered after ingest.
    private static HourlyUsageKey planned(UUID connection) {
        return new HourlyUsageKey(UsageKind.DELIVERIES, connection, Trigger.INGEST.number());
    }

    /// Returns the recorded usage: the counts in the usage tables plus the counts that are still in
    /// the ledger.
    ///
    /// @param hour the hour, as the number of hours since the start of 1970
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
                 where kind = any (?)
                 group by kind, key, dim
                """,
                row -> {
                    var key =
                            new HourlyUsageKey(
                                    UsageKind.fromNumber(row.integer("kind")),
                                    row.uuid("key"),
                                    row.integer("dim"));
                    var count = new HourlyUsageCount(row.number("n"), row.number("size"));
                    usage.add(key, count);
                    if (key.equals(filtered(key.subject()))) {
                        usage.add(planned(key.subject()), count);
                    }
                    return true;
                },
                hour,
                hour,
                AUDITED_KINDS);
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
                select connection_id, count(*) as n
                  from event, unnest(filtered) as connection_id
                 where source_id = any (?) and id >= ? and id < ? and filtered is not null
                 group by connection_id
                """,
                row -> {
                    var count = new HourlyUsageCount(row.number("n"), 0);
                    usage.add(filtered(row.uuid("connection_id")), count);
                    usage.add(planned(row.uuid("connection_id")), count);
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
