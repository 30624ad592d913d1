package dev.sluice.engine.ledger;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.id.Uuid7;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// The part of a batch's row in `commit_log` that tells readers where to find the batch's events
/// and finished deliveries.
///
/// A batch's events arrived shortly after one another, so the first event's arrival time is enough.
/// The finished deliveries may belong to events that arrived hours apart, and a delivery's id
/// begins with its event's arrival time. If these times are within a few seconds of one another,
/// the row stores the range of the deliveries' ids. If not, it stores a list of the ids. The failed
/// and exhausted deliveries are also counted by connection and status, for alerts. Not thread-safe.
final class CommitSummary {

    /// The longest span of arrival times for which a range of ids is stored. It is limited because
    /// a reader of the range also reads any deliveries from other batches in that range.
    private static final Duration MAX_OUTCOME_RANGE = Duration.ofSeconds(5);

    /// @param status failed or exhausted
    record FailureKey(ConnectionId connection, DeliveryStatus status) {}

    /// @param sample the delivery that was added last
    record FailureCount(int n, UUID sample) {}

    private @Nullable Long eventsFrom;
    private final List<UUID> outcomes = new ArrayList<>();
    private @Nullable UUID outcomesFrom;
    private @Nullable UUID outcomesTo;
    private final Map<FailureKey, FailureCount> failures = new LinkedHashMap<>();

    void addEvent(EventId event) {
        long millis = Uuid7.millisOf(event.value());
        eventsFrom = eventsFrom == null ? millis : Math.min(eventsFrom, millis);
    }

    void addOutcome(DeliveryId delivery) {
        UUID id = delivery.value();
        outcomes.add(id);
        outcomesFrom = outcomesFrom == null ? id : Uuid7.min(outcomesFrom, id);
        outcomesTo = outcomesTo == null ? id : Uuid7.max(outcomesTo, id);
    }

    void addFailure(ConnectionId connection, DeliveryId delivery, DeliveryStatus status) {
        failures.merge(
                new FailureKey(connection, status),
                new FailureCount(1, delivery.value()),
                (known, next) -> new FailureCount(known.n() + 1, next.sample()));
    }

    /// Returns the connections with failed or exhausted deliveries, or null if there are none. A
    /// connection with both statuses occurs twice. The other failure lists are in the same order.
    @Nullable List<UUID> failedConnections() {
        return orNull(failures.keySet().stream().map(key -> key.connection().value()).toList());
    }

    @Nullable List<Integer> failedStatuses() {
        return orNull(failures.keySet().stream().map(key -> (int) key.status().number()).toList());
    }

    @Nullable List<Integer> failedCounts() {
        return orNull(failures.values().stream().map(FailureCount::n).toList());
    }

    @Nullable List<UUID> failedSamples() {
        return orNull(failures.values().stream().map(FailureCount::sample).toList());
    }

    private static <T> @Nullable List<T> orNull(List<T> list) {
        return list.isEmpty() ? null : list;
    }

    /// Returns when the first event arrived, in milliseconds since 1970, or null if there are no
    /// events.
    @Nullable Long eventsFrom() {
        return eventsFrom;
    }

    /// Returns the first id in the range of finished deliveries. Returns null if there are none, or
    /// if they are stored as a list.
    @Nullable UUID outcomesFrom() {
        return isNarrow() ? outcomesFrom : null;
    }

    @Nullable UUID outcomesTo() {
        return isNarrow() ? outcomesTo : null;
    }

    /// Returns the ids of the finished deliveries. Returns null if there are none, or if they are
    /// stored as a range.
    @Nullable List<UUID> listedOutcomes() {
        return isNarrow() || outcomes.isEmpty() ? null : List.copyOf(outcomes);
    }

    private boolean isNarrow() {
        return outcomesFrom != null
                && outcomesTo != null
                && Uuid7.millisOf(outcomesTo) - Uuid7.millisOf(outcomesFrom)
                        <= MAX_OUTCOME_RANGE.toMillis();
    }
}
