package dev.sluice.observe.audit;

import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Verification;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// Counts of one hour, as the usage sums have them or as the rows have them.
///
/// Both grow only: each row is written in one transaction with the ledger row that counts it. So
/// rows counted piece by piece, while late results still come in, must be at least what the sums
/// said before and at most what they say after.
final class Usage {

    private static final int EVENTS = 1;
    private static final int OUTCOMES = 2;
    private static final int DELIVERIES = 3;

    /// @param kind 1: events of a source, by verification; 2: finished deliveries of a connection,
    ///   by status; 3: deliveries made on a connection, by trigger
    record Key(int kind, UUID of, int dim) {}

    /// @param size of events: the bytes of their bodies
    record Count(long n, long size) {

        static final Count ZERO = new Count(0, 0);

        private Count plus(Count more) {
            return new Count(n + more.n, size + more.size);
        }

        private boolean isAtMost(Count other) {
            return n <= other.n && size <= other.size;
        }

        private String text(int kind) {
            return kind == EVENTS ? n + " (" + size + " bytes)" : Long.toString(n);
        }
    }

    private final Map<Key, Count> counts = new HashMap<>();

    private void add(Key key, Count count) {
        counts.merge(key, count, Count::plus);
    }

    void add(Usage more) {
        more.counts.forEach(this::add);
    }

    long events() {
        return sum(EVENTS);
    }

    long deliveries() {
        return sum(DELIVERIES);
    }

    private long sum(int kind) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getKey().kind == kind)
                .mapToLong(entry -> entry.getValue().n)
                .sum();
    }

    /// What is folded and what is not yet.
    ///
    /// @param hour since 1970
    static Usage sums(Tx tx, int hour) {
        var usage = new Usage();
        tx.query(
                """
                select kind, key, dim, sum(n)::bigint as n, sum(size)::bigint as size
                  from (select kind, key, dim, n, size from rollup_hour where hour = ?
                        union all
                        select entry.kind, entry.key, entry.dim, entry.n, entry.size
                          from ledger, unnest(kinds, keys, hours, dims, counts, sizes)
                                 as entry (kind, key, hour, dim, n, size)
                         where entry.hour = ?) as entry
                 where kind in (1, 3) or kind = 2 and dim in (3, 4, 5)
                 group by kind, key, dim
                """,
                row -> {
                    usage.add(
                            new Key(row.integer("kind"), row.uuid("key"), row.integer("dim")),
                            new Count(row.number("n"), row.number("size")));
                    return true;
                },
                hour,
                hour);
        return usage;
    }

    /// The rows whose ids lie from `from` to before `to`.
    ///
    /// @param sources all that have events there
    static Usage rows(Tx tx, List<UUID> sources, UUID from, UUID to) {
        var usage = new Usage();
        tx.query(
                """
                select source_id, verification, count(*) as n, sum(body_size)::bigint as size
                  from event
                 where source_id = any (?) and id >= ? and id < ?
                 group by source_id, verification
                """,
                row -> {
                    usage.add(
                            new Key(EVENTS, row.uuid("source_id"), row.integer("verification")),
                            new Count(row.number("n"), row.number("size")));
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
                    var count = new Count(row.number("n"), 0);
                    int status = row.integer("status");
                    usage.add(new Key(DELIVERIES, connection, row.integer("trigger")), count);
                    if (status != 0) {
                        usage.add(new Key(OUTCOMES, connection, status), count);
                    }
                    return true;
                },
                from,
                to,
                from,
                to);
        return usage;
    }

    /// Where the rows are not between the two.
    static List<Finding> compare(Instant hour, Usage before, Usage rows, Usage after) {
        var keys = new HashSet<>(before.counts.keySet());
        keys.addAll(rows.counts.keySet());
        keys.addAll(after.counts.keySet());
        var findings = new ArrayList<Finding>();
        for (var key : keys) {
            var least = before.counts.getOrDefault(key, Count.ZERO);
            var counted = rows.counts.getOrDefault(key, Count.ZERO);
            var most = after.counts.getOrDefault(key, Count.ZERO);
            if (!least.isAtMost(counted) || !counted.isAtMost(most)) {
                findings.add(
                        new Finding(
                                Invariant.USAGE,
                                name(key)
                                        + " in the hour from "
                                        + hour
                                        + ": "
                                        + most.text(key.kind)
                                        + " in the sums, "
                                        + counted.text(key.kind)
                                        + " in the tables"));
            }
        }
        return findings;
    }

    private static String name(Key key) {
        return switch (key.kind) {
            case EVENTS -> "source " + key.of + ", events " + verification(key.dim);
            case OUTCOMES -> "connection " + key.of + ", deliveries " + status(key.dim);
            default -> "connection " + key.of + ", deliveries made by " + trigger(key.dim);
        };
    }

    /// What is damaged may hold any number.
    private static String verification(int dim) {
        return isOneOf(Verification.values(), dim) ? Verification.numbered(dim).text() : "? " + dim;
    }

    private static String status(int dim) {
        return isOneOf(DeliveryStatus.values(), dim)
                ? DeliveryStatus.numbered(dim).text()
                : "? " + dim;
    }

    private static String trigger(int dim) {
        return isOneOf(Trigger.values(), dim) ? Trigger.numbered(dim).text() : "? " + dim;
    }

    private static boolean isOneOf(Object[] values, int number) {
        return number >= 1 && number <= values.length;
    }
}
