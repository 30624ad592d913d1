package dev.sluice.relay.settle;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.Route;
import dev.sluice.relay.Attempt;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.EventId;
import dev.sluice.relay.UnfinishedDelivery;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Logs failed attempts, without flooding the log when a destination fails again and again.
///
/// Two kinds of failures are counted separately for each destination: failed attempts that will be
/// retried, and attempts that end their delivery as failed or exhausted. The first failure of a
/// kind is logged in full. While more follow, one line a minute gives their number and the id of
/// the last event. After a minute without a failure of that kind, the next one is logged in full
/// again. Thread-safe.
public final class FailureLog {

    private static final Logger log = LoggerFactory.getLogger(FailureLog.class);

    static final Duration SUMMARY_INTERVAL = Duration.ofMinutes(1);

    /// The failures that are counted together: those of one destination, either retried attempts or
    /// ended deliveries.
    private record FailureKind(DestinationId destination, boolean isEnd) {}

    /// The failures of one kind since the last line that was logged for it.
    ///
    /// @param since when the last line was logged
    /// @param last the event of the last failure; empty if there was none
    private record SilencedFailures(
            Instant since, long count, String name, Optional<EventId> last) {

        SilencedFailures plus(EventId event) {
            return new SilencedFailures(since, count + 1, name, Optional.of(event));
        }
    }

    private final InstantSource clock;
    private final ConcurrentHashMap<FailureKind, SilencedFailures> counts =
            new ConcurrentHashMap<>();

    public FailureLog(InstantSource clock) {
        this.clock = clock;
    }

    /// Logs or counts a failed attempt after which the delivery is tried again.
    void retried(UnfinishedDelivery delivery, Route route, Attempt attempt, Instant nextAt) {
        if (isFirst(delivery, route, false)) {
            var line =
                    log.atInfo()
                            .addKeyValue("delivery_id", delivery.id())
                            .addKeyValue("event_id", delivery.id().event())
                            .addKeyValue("source_id", delivery.source())
                            .addKeyValue("connection_id", delivery.connection())
                            .addKeyValue("destination_id", route.destination().id())
                            .addKeyValue("destination", route.destination().spec().name())
                            .addKeyValue("host", route.destination().spec().url().host().text())
                            .addKeyValue("attempt", attempt.number())
                            .addKeyValue("latency_ms", attempt.latency().toMillis());
            attempt.responseStatus()
                    .map(status -> line.addKeyValue("status", status))
                    .orElse(line)
                    .addKeyValue("error_code", code(attempt))
                    .addKeyValue("next_attempt_at", nextAt)
                    .log("attempt.failed");
        }
    }

    /// Logs or counts a delivery that ended as failed or exhausted with this attempt.
    void ended(UnfinishedDelivery delivery, Route route, Attempt attempt, DeliveryStatus end) {
        if (isFirst(delivery, route, true)) {
            var line =
                    log.atInfo()
                            .addKeyValue("delivery_id", delivery.id())
                            .addKeyValue("event_id", delivery.id().event())
                            .addKeyValue("source_id", delivery.source())
                            .addKeyValue("connection_id", delivery.connection())
                            .addKeyValue("destination_id", route.destination().id())
                            .addKeyValue("destination", route.destination().spec().name())
                            .addKeyValue("host", route.destination().spec().url().host().text())
                            .addKeyValue("ended_as", end.text())
                            .addKeyValue("attempt", attempt.number())
                            .addKeyValue("latency_ms", attempt.latency().toMillis());
            attempt.responseStatus()
                    .map(status -> line.addKeyValue("status", status))
                    .orElse(line)
                    .addKeyValue("error_code", code(attempt))
                    .log("delivery.ended");
        }
    }

    private static String code(Attempt attempt) {
        return attempt.errorCode().map(ErrorCode::text).orElse("none");
    }

    /// Counts the failure. Returns whether it is the first of its kind, which is logged in full.
    private boolean isFirst(UnfinishedDelivery delivery, Route route, boolean isEnd) {
        var destination = route.destination();
        var count =
                counts.compute(
                        new FailureKind(destination.id(), isEnd),
                        (_, known) ->
                                known == null
                                        ? new SilencedFailures(
                                                clock.instant(),
                                                0,
                                                destination.spec().name(),
                                                Optional.empty())
                                        : known.plus(delivery.id().event()));
        return count.count() == 0;
    }

    /// Logs the number of failures of each kind whose last line is at least a minute old. Forgets
    /// such a kind if it had no failure since that line.
    public void summarize() {
        var now = clock.instant();
        for (var kind : counts.keySet()) {
            var due = takeDue(kind, now);
            due.filter(count -> count.count() > 0).ifPresent(count -> logCount(kind, count));
        }
    }

    private Optional<SilencedFailures> takeDue(FailureKind kind, Instant now) {
        var due = new SilencedFailures[1];
        counts.computeIfPresent(
                kind,
                (_, count) -> {
                    if (now.isBefore(count.since().plus(SUMMARY_INTERVAL))
                            && !now.isBefore(count.since())) {
                        return count;
                    }
                    due[0] = count;
                    return count.count() == 0
                            ? null
                            : new SilencedFailures(now, 0, count.name(), Optional.empty());
                });
        return Optional.ofNullable(due[0]);
    }

    private static void logCount(FailureKind kind, SilencedFailures count) {
        String last = count.last().map(EventId::toString).orElse("");
        if (kind.isEnd()) {
            log.atInfo()
                    .addKeyValue("destination_id", kind.destination())
                    .addKeyValue("destination", count.name())
                    .addKeyValue("deliveries", count.count())
                    .addKeyValue("last_event_id", last)
                    .log("deliveries.ended");
        } else {
            log.atInfo()
                    .addKeyValue("destination_id", kind.destination())
                    .addKeyValue("destination", count.name())
                    .addKeyValue("attempts", count.count())
                    .addKeyValue("last_event_id", last)
                    .log("attempts.failed");
        }
    }
}
