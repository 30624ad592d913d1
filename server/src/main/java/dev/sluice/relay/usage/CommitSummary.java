package dev.sluice.relay.usage;

import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// Where to find the events and the ended deliveries of one batch, for the log of commits.
///
/// Events of a batch arrived shortly after each other, so the time of the first one suffices.
/// Deliveries may have waited for hours: they are described by a range of ids if it is narrow, and
/// otherwise one by one. Not thread-safe.
final class CommitSummary {

    /// The longest range of arrivals in which a reader may look for the batch's deliveries. It
    /// reads past all others in the range.
    private static final Duration MAX_OUTCOME_RANGE = Duration.ofSeconds(5);

    private @Nullable Long eventsFrom;
    private final List<UUID> outcomes = new ArrayList<>();
    private @Nullable UUID outcomesFrom;
    private @Nullable UUID outcomesTo;

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

    /// Returns when the first event arrived, in milliseconds since 1970; null without events.
    @Nullable Long eventsFrom() {
        return eventsFrom;
    }

    /// Returns the first ended delivery; null if there is none, or if they are listed.
    @Nullable UUID outcomesFrom() {
        return isNarrow() ? outcomesFrom : null;
    }

    @Nullable UUID outcomesTo() {
        return isNarrow() ? outcomesTo : null;
    }

    /// Returns the ended deliveries one by one; null if there is none, or if they are in a range.
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
