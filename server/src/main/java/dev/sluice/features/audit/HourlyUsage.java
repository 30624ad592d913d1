package dev.sluice.features.audit;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.Trigger;
import dev.sluice.gateway.source.VerificationStatus;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// The usage counts for one hour, which are either read from the usage tables or obtained by
/// counting rows.
///
/// The number of deliveries made by ingest includes those whose event did not match the
/// connection's filter, whether the filter was evaluated at ingest or later.
///
/// The recorded counts and the actual numbers of rows can only grow. Each row is written in the
/// same transaction as the ledger row that counts it. Rows are counted one slice at a time, while
/// late results may still be written. The number of rows is therefore at least the count recorded
/// before the rows were counted, and at most the count recorded afterwards.
final class HourlyUsage {

    /// Identifies what is counted.
    ///
    /// @param subject the source or connection whose usage is counted
    /// @param dim the number of the status or trigger by which this kind of usage is broken down
    record HourlyUsageKey(UsageKind kind, UUID subject, int dim) {}

    /// A count of rows.
    ///
    /// @param size the total size of the events' bodies in bytes; 0 for other kinds of usage
    record HourlyUsageCount(long n, long size) {

        static final HourlyUsageCount ZERO = new HourlyUsageCount(0, 0);

        private HourlyUsageCount plus(HourlyUsageCount more) {
            return new HourlyUsageCount(n + more.n, size + more.size);
        }

        private boolean isAtMost(HourlyUsageCount other) {
            return n <= other.n && size <= other.size;
        }

        private String text(UsageKind kind) {
            return kind == UsageKind.EVENTS ? n + " (" + size + " bytes)" : Long.toString(n);
        }
    }

    private final Map<HourlyUsageKey, HourlyUsageCount> counts = new HashMap<>();

    void add(HourlyUsageKey key, HourlyUsageCount count) {
        counts.merge(key, count, HourlyUsageCount::plus);
    }

    void add(HourlyUsage more) {
        more.counts.forEach(this::add);
    }

    /// Returns the counts for all subjects except the given ones.
    HourlyUsage without(Set<UUID> subjects) {
        var rest = new HourlyUsage();
        counts.forEach((key, count) -> {
            if (!subjects.contains(key.subject())) {
                rest.add(key, count);
            }
        });
        return rest;
    }

    long events() {
        return sum(UsageKind.EVENTS);
    }

    long deliveries() {
        return sum(UsageKind.DELIVERIES);
    }

    private long sum(UsageKind kind) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getKey().kind == kind)
                .mapToLong(entry -> entry.getValue().n)
                .sum();
    }

    /// Compares the counted rows with the usage that was recorded before and after they were
    /// counted. Returns a violation for each key whose number of rows is not between the two
    /// recorded counts.
    static List<InvariantViolation> compare(
            Instant hour, HourlyUsage before, HourlyUsage rows, HourlyUsage after) {
        var keys = new HashSet<>(before.counts.keySet());
        keys.addAll(rows.counts.keySet());
        keys.addAll(after.counts.keySet());
        var findings = new ArrayList<InvariantViolation>();
        for (var key : keys) {
            var recordedBefore = before.counts.getOrDefault(key, HourlyUsageCount.ZERO);
            var counted = rows.counts.getOrDefault(key, HourlyUsageCount.ZERO);
            var recordedAfter = after.counts.getOrDefault(key, HourlyUsageCount.ZERO);
            if (!recordedBefore.isAtMost(counted) || !counted.isAtMost(recordedAfter)) {
                findings.add(
                        new InvariantViolation(
                                Invariant.USAGE,
                                name(key)
                                        + " in the hour from "
                                        + hour
                                        + ": "
                                        + recordedAfter.text(key.kind)
                                        + " in the usage counts, "
                                        + counted.text(key.kind)
                                        + " in the rows"));
            }
        }
        return findings;
    }

    private static String name(HourlyUsageKey key) {
        return switch (key.kind) {
            case EVENTS -> "source " + key.subject + ", events " + verification(key.dim);
            case OUTCOMES -> "connection " + key.subject + ", deliveries " + status(key.dim);
            case DELIVERIES ->
                    "connection " + key.subject + ", deliveries made by " + trigger(key.dim);
            case LATENCIES, REFUSALS -> throw new IllegalArgumentException("never audited");
        };
    }

    /// Returns the name of a verification status. A damaged row may contain any number, so an
    /// unknown number is returned as is, after a question mark.
    private static String verification(int dim) {
        return isOneOf(VerificationStatus.values(), dim)
                ? VerificationStatus.fromNumber(dim).text()
                : "? " + dim;
    }

    private static String status(int dim) {
        return isOneOf(DeliveryStatus.values(), dim)
                ? DeliveryStatus.fromNumber(dim).text()
                : "? " + dim;
    }

    private static String trigger(int dim) {
        return isOneOf(Trigger.values(), dim) ? Trigger.fromNumber(dim).text() : "? " + dim;
    }

    private static boolean isOneOf(Object[] values, int number) {
        return number >= 1 && number <= values.length;
    }
}
