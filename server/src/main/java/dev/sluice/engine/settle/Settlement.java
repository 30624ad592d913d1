package dev.sluice.engine.settle;

import dev.sluice.engine.Attempt;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.gateway.routing.Route;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Turns an attempt's outcome into the result to write to the database, and logs the attempt.
/// Thread-safe.
public final class Settlement {

    private static final Logger log = LoggerFactory.getLogger(Settlement.class);

    private final InstantSource clock;
    private final RandomGenerator random;
    private final double jitter;
    private final FailureLog failureLog;

    public Settlement(InstantSource clock, RandomGenerator random, double jitter) {
        this(clock, random, jitter, new FailureLog(clock));
    }

    public Settlement(
            InstantSource clock, RandomGenerator random, double jitter, FailureLog failureLog) {
        this.clock = clock;
        this.random = random;
        this.jitter = jitter;
        this.failureLog = failureLog;
    }

    /// Returns the result to write after an attempt with this outcome, and logs the attempt.
    ///
    /// @param route the route that the attempt used
    public DeliveryResult settle(
            UnfinishedDelivery delivery, Route route, Instant attemptedAt, Outcome outcome) {
        int number = delivery.attempts() + 1;
        var now = clock.instant();
        var destination = route.destination();
        var verdict =
                Verdict.of(
                        outcome, number, destination.spec().retrySchedule(), jitter, now, random);
        var attempt =
                Attempt.of(
                        number,
                        attemptedAt,
                        new Attempt.UsedSettings(destination.revision(), route.configuration()),
                        outcome);
        logAttempt(delivery, attempt);
        return switch (verdict) {
            case Verdict.Succeeded() -> finished(delivery, DeliveryStatus.SUCCEEDED, attempt, now);
            case Verdict.Failed() -> ended(delivery, route, DeliveryStatus.FAILED, attempt, now);
            case Verdict.Exhausted() ->
                    ended(delivery, route, DeliveryStatus.EXHAUSTED, attempt, now);
            case Verdict.RetryAt(Instant at) -> {
                failureLog.retried(delivery, route, attempt, at);
                yield new DeliveryResult.RetryResult(delivery, attempt, at);
            }
        };
    }

    /// Returns the result that ends a delivery as failed without another attempt, and logs that the
    /// delivery has ended.
    ///
    /// @param route the route that the delivery would have used
    public DeliveryResult endUnsent(UnfinishedDelivery delivery, Route route, ErrorCode reason) {
        failureLog.endedUnsent(delivery, route, reason);
        return endUnsent(delivery, reason);
    }

    /// Returns the result that ends a delivery as failed without another attempt. Logs nothing,
    /// because this node has no route for the delivery, so the log could not name the destination.
    public DeliveryResult endUnsent(UnfinishedDelivery delivery, ErrorCode reason) {
        return new DeliveryResult.FinalResult(
                delivery,
                DeliveryStatus.FAILED,
                Optional.empty(),
                Optional.of(reason),
                clock.instant());
    }

    private DeliveryResult ended(
            UnfinishedDelivery delivery,
            Route route,
            DeliveryStatus status,
            Attempt attempt,
            Instant now) {
        failureLog.ended(delivery, route, attempt, status);
        return finished(delivery, status, attempt, now);
    }

    private static DeliveryResult finished(
            UnfinishedDelivery delivery, DeliveryStatus status, Attempt attempt, Instant now) {
        return new DeliveryResult.FinalResult(
                delivery, status, Optional.of(attempt), Optional.empty(), now);
    }

    /// Logs every attempt at debug level. [FailureLog] logs failures at info level, without
    /// flooding the log.
    private static void logAttempt(UnfinishedDelivery delivery, Attempt attempt) {
        if (!log.isDebugEnabled()) {
            return;
        }
        var line =
                log.atDebug()
                        .addKeyValue("delivery_id", delivery.id())
                        .addKeyValue("connection_id", delivery.connection())
                        .addKeyValue("attempt", attempt.number())
                        .addKeyValue("latency_ms", attempt.latency().toMillis());
        attempt.responseStatus()
                .map(status -> line.addKeyValue("status", status))
                .orElse(line)
                .addKeyValue("error_code", attempt.errorCode().map(ErrorCode::text).orElse("none"))
                .log("attempt.finished");
    }
}
