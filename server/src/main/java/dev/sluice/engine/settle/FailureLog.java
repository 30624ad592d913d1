package dev.sluice.engine.settle;

import dev.sluice.engine.Attempt;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.Route;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/// Logs failed attempts, and deliveries that end as failed or exhausted, without flooding the log
/// when a destination fails repeatedly.
///
/// For each destination, there are two kinds of failures: failed attempts that will be retried, and
/// deliveries that have ended. The first failure of each kind is logged in full. While more
/// failures follow, one summary line per minute gives the number of failures of each kind and the
/// id of the last event. After a minute without a failure of a kind, the next failure of that kind
/// is logged in full again. Thread-safe.
public final class FailureLog {

    private static final Logger log = LoggerFactory.getLogger(FailureLog.class);

    static final Duration SUMMARY_INTERVAL = Duration.ofMinutes(1);

    /// The failures of one kind that the next summary line will count.
    ///
    /// @param isKnown whether the next failure of this kind will only be counted, because one was
    ///   logged recently, either in full or in the last summary line
    /// @param count the number of failures that have not been logged yet
    private record SilencedFailures(boolean isKnown, long count) {

        static final SilencedFailures NONE = new SilencedFailures(false, 0);

        SilencedFailures plusOne() {
            return isKnown ? new SilencedFailures(true, count + 1) : new SilencedFailures(true, 0);
        }

        /// Returns the state after a summary line has counted these failures.
        SilencedFailures next() {
            return count == 0 ? NONE : new SilencedFailures(true, 0);
        }
    }

    /// One destination's failures.
    ///
    /// @param since when the last summary line was logged or, if there was none yet, when the first
    ///   failure was logged in full
    /// @param last the event of the most recent failure after `since` that was not logged in full;
    ///   empty if there is none
    private record DestinationFailures(
            Instant since,
            String name,
            SilencedFailures retried,
            SilencedFailures ended,
            Optional<EventId> last) {

        static DestinationFailures none(Instant since, Route route) {
            return new DestinationFailures(
                    since,
                    route.destination().spec().name(),
                    SilencedFailures.NONE,
                    SilencedFailures.NONE,
                    Optional.empty());
        }

        SilencedFailures count(boolean isEnd) {
            return isEnd ? ended : retried;
        }

        DestinationFailures plus(EventId event, boolean isEnd) {
            var counted = count(isEnd).plusOne();
            return new DestinationFailures(
                    since,
                    name,
                    isEnd ? retried : counted,
                    isEnd ? counted : ended,
                    counted.count() == 0 ? last : Optional.of(event));
        }

        DestinationFailures next(Instant now) {
            return new DestinationFailures(
                    now, name, retried.next(), ended.next(), Optional.empty());
        }
    }

    private final InstantSource clock;
    private final ConcurrentHashMap<DestinationId, DestinationFailures> failures =
            new ConcurrentHashMap<>();

    public FailureLog(InstantSource clock) {
        this.clock = clock;
    }

    /// Logs or counts a failed attempt that will be retried.
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

    /// Logs or counts a delivery for which this was the last attempt, and which is now failed or
    /// exhausted.
    void ended(UnfinishedDelivery delivery, Route route, Attempt attempt, DeliveryStatus end) {
        ended(delivery, route, end, attempt.number(), Optional.of(attempt), code(attempt));
    }

    /// Logs or counts a delivery that ended as failed without another attempt, for example because
    /// its payload cannot be read.
    ///
    /// @param reason why the delivery was not sent
    void endedUnsent(UnfinishedDelivery delivery, Route route, ErrorCode reason) {
        ended(
                delivery,
                route,
                DeliveryStatus.FAILED,
                delivery.attempts(),
                Optional.empty(),
                reason.text());
    }

    /// @param number the number of attempts that were made
    /// @param last the attempt that ended the delivery; empty if it ended without one
    private void ended(
            UnfinishedDelivery delivery,
            Route route,
            DeliveryStatus end,
            int number,
            Optional<Attempt> last,
            String code) {
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
                            .addKeyValue("attempt", number);
            last.ifPresent(made -> {
                var _ = line.addKeyValue("latency_ms", made.latency().toMillis());
            });
            last.flatMap(Attempt::responseStatus)
                    .ifPresent(status -> {
                        var _ = line.addKeyValue("status", status);
                    });
            line.addKeyValue("error_code", code).log("delivery.ended");
        }
    }

    private static String code(Attempt attempt) {
        return attempt.errorCode().map(ErrorCode::text).orElse("none");
    }

    /// Counts the failure. Returns whether it is the first of its kind and must therefore be logged
    /// in full.
    private boolean isFirst(UnfinishedDelivery delivery, Route route, boolean isEnd) {
        var counted =
                failures.compute(
                        route.destination().id(),
                        (_, known) ->
                                (known == null
                                                ? DestinationFailures.none(clock.instant(), route)
                                                : known)
                                        .plus(delivery.id().event(), isEnd));
        return counted.count(isEnd).count() == 0;
    }

    /// Logs a summary line for each destination whose last summary line is at least a minute old.
    /// If there was no summary line yet, the first failure must be at least a minute old. If no
    /// more failures have followed, forgets the destination instead.
    public void summarize() {
        var now = clock.instant();
        logCounts(
                now,
                known ->
                        now.isBefore(known.since())
                                || !now.isBefore(known.since().plus(SUMMARY_INTERVAL)));
    }

    /// Logs a summary line for each destination with failures that have not been logged yet. Called
    /// when the server stops.
    public void flush() {
        logCounts(clock.instant(), _ -> true);
    }

    private void logCounts(Instant now, Predicate<DestinationFailures> isDue) {
        for (var destination : failures.keySet()) {
            var due = new DestinationFailures[1];
            failures.computeIfPresent(
                    destination,
                    (_, known) -> {
                        if (!isDue.test(known)) {
                            return known;
                        }
                        due[0] = known;
                        return known.last().isEmpty() ? null : known.next(now);
                    });
            if (due[0] != null) {
                logCount(destination, due[0]);
            }
        }
    }

    private static void logCount(DestinationId destination, DestinationFailures counted) {
        counted.last()
                .ifPresent(last ->
                        log.atInfo()
                                .addKeyValue("destination_id", destination)
                                .addKeyValue("destination", counted.name())
                                .addKeyValue("attempts", counted.retried().count())
                                .addKeyValue("deliveries", counted.ended().count())
                                .addKeyValue("last_event_id", last)
                                .log("attempts.failed"));
    }
}
