package dev.sluice.engine.ledger;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.engine.Attempt;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.LatencyBuckets;
import dev.sluice.engine.RefusalReason;
import dev.sluice.engine.Trigger;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.id.Uuid7;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/// The usage counts for one batch of events or results, summed in memory and then stored as one
/// row.
///
/// Each item is counted in the hour in which its event arrived. A refusal is counted in the hour in
/// which it happened. Events and refusals are also counted by minute. Not thread-safe.
public final class LedgerRow {

    private static final long MILLIS_PER_MINUTE = 60_000;
    private static final int MINUTES_PER_HOUR = 60;

    /// @param key the id of a source or connection
    /// @param minute the minute within the hour; 0 for kinds that are counted only by hour
    /// @param dim the number of the status, reason, trigger or latency bucket that is counted
    record UsageKey(UsageKind kind, UUID key, int hour, int minute, int dim) {}

    static final class LedgerSum {
        private int count;
        private long size;

        int count() {
            return count;
        }

        long size() {
            return size;
        }
    }

    private final Map<UsageKey, LedgerSum> sums = new LinkedHashMap<>();
    private final CommitSummary commit = new CommitSummary();

    public void addEvent(
            SourceId source, EventId event, VerificationStatus verification, int bodySize) {
        commit.addEvent(event);
        long minutes = minutes(event);
        int minute = (int) (minutes % MINUTES_PER_HOUR);
        add(UsageKind.EVENTS, source.value(), minutes, minute, verification.number(), 1, bodySize);
    }

    public void addDelivery(ConnectionId connection, EventId event, Trigger trigger) {
        add(UsageKind.DELIVERIES, connection.value(), minutes(event), 0, trigger.number(), 1, 0);
    }

    /// Subtracts a delivery that was counted as created. A delivery that a filter rejects does not
    /// count as created, even if the filter was decided only after ingest.
    public void removeDelivery(ConnectionId connection, EventId event, Trigger trigger) {
        add(UsageKind.DELIVERIES, connection.value(), minutes(event), 0, trigger.number(), -1, 0);
    }

    /// Counts a delivery that has ended.
    public void addOutcome(ConnectionId connection, DeliveryId delivery, DeliveryStatus status) {
        commit.addOutcome(delivery);
        if (status == DeliveryStatus.FAILED || status == DeliveryStatus.EXHAUSTED) {
            commit.addFailure(connection, delivery, status);
        }
        addOutcome(connection, delivery.event(), status);
    }

    /// Counts a connection whose filter the event did not match.
    public void addFiltered(ConnectionId connection, EventId event) {
        addOutcome(connection, event, DeliveryStatus.FILTERED);
    }

    private void addOutcome(ConnectionId connection, EventId event, DeliveryStatus status) {
        add(UsageKind.OUTCOMES, connection.value(), minutes(event), 0, status.number(), 1, 0);
    }

    /// Counts the attempt's latency if the attempt got a response or timed out waiting for one.
    /// Other attempts do not show how fast the destination is.
    public void addLatency(ConnectionId connection, EventId event, Attempt attempt) {
        boolean isTimeout =
                attempt.errorCode().filter(ErrorCode.RESPONSE_TIMEOUT::equals).isPresent();
        if (isTimeout || attempt.responseStatus().isPresent()) {
            int millis = (int) attempt.latency().toMillis();
            int bucket = LatencyBuckets.indexOf(attempt.latency());
            add(UsageKind.LATENCIES, connection.value(), minutes(event), 0, bucket, 1, millis);
        }
    }

    /// @param epochMinute when the requests were refused, in minutes since 1970
    public void addRefusals(SourceId source, long epochMinute, RefusalReason reason, int count) {
        int minute = (int) (epochMinute % MINUTES_PER_HOUR);
        add(UsageKind.REFUSALS, source.value(), epochMinute, minute, reason.number(), count, 0);
    }

    /// @param minutes the time under which the item is counted, in minutes since 1970
    private void add(
            UsageKind kind, UUID key, long minutes, int minute, int dim, int count, int size) {
        int hour = (int) (minutes / MINUTES_PER_HOUR);
        var sum =
                sums.computeIfAbsent(
                        new UsageKey(kind, key, hour, minute, dim), _ -> new LedgerSum());
        sum.count += count;
        sum.size += size;
    }

    /// Returns the hour in which the event arrived, in hours since 1970.
    public static int hourOf(EventId event) {
        return (int) (minutes(event) / MINUTES_PER_HOUR);
    }

    private static long minutes(EventId event) {
        return Uuid7.millisOf(event.value()) / MILLIS_PER_MINUTE;
    }

    public boolean isEmpty() {
        return sums.isEmpty();
    }

    /// Returns the sums, in the order in which their keys were first counted.
    Map<UsageKey, LedgerSum> sums() {
        return sums;
    }

    CommitSummary commit() {
        return commit;
    }
}
