package dev.sluice.relay.settle;

import dev.sluice.gateway.routing.Route;
import dev.sluice.relay.Attempt;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.ResponseClass;
import dev.sluice.relay.UnfinishedDelivery;
import dev.sluice.relay.store.DeliveryResult;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Turns the outcome of an attempt into the result to be written to the database, and logs it.
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

    /// Returns the result to be written after an attempt, and logs the attempt.
    ///
    /// @param route the route by which the attempt was sent
    public DeliveryResult settle(
            UnfinishedDelivery delivery, Route route, Instant attemptedAt, Outcome outcome) {
        int number = delivery.attempts() + 1;
        var now = clock.instant();
        var destination = route.destination();
        var verdict =
                Verdict.of(outcome, number, destination.spec().retryPolicy(), jitter, now, random);
        var attempt = attempt(number, attemptedAt, route, outcome);
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

    private static Attempt attempt(int number, Instant at, Route route, Outcome outcome) {
        var revision = route.destination().revision();
        return switch (outcome) {
            case Outcome.DestinationResponse(int status, String body, var latency, _) ->
                    new Attempt(
                            number,
                            at,
                            revision,
                            latency,
                            Optional.of(status),
                            errorCode(status),
                            errorCode(status).map(code -> message(code, status)),
                            Optional.of(body));
            case Outcome.AttemptError(ErrorCode code, String detail, var latency) ->
                    new Attempt(
                            number,
                            at,
                            revision,
                            latency,
                            Optional.empty(),
                            Optional.of(code),
                            Optional.of(detail),
                            Optional.empty());
        };
    }

    private static Optional<ErrorCode> errorCode(int status) {
        return switch (ResponseClass.of(status)) {
            case SUCCESS -> Optional.empty();
            case REDIRECT -> Optional.of(ErrorCode.REDIRECT);
            case REFUSAL, TEMPORARY_FAILURE -> Optional.of(ErrorCode.HTTP_STATUS);
        };
    }

    private static String message(ErrorCode code, int status) {
        return code == ErrorCode.REDIRECT
                ? "Destination answered " + status + ", a redirect; redirects are not followed"
                : "Destination answered " + status;
    }

    /// Logs every attempt at debug level. [FailureLog] logs the failures that somebody should see.
    private static void logAttempt(UnfinishedDelivery delivery, Attempt attempt) {
        if (!log.isDebugEnabled()) {
            return;
        }
        log.atDebug()
                .addKeyValue("delivery_id", delivery.id())
                .addKeyValue("connection_id", delivery.connection())
                .addKeyValue("attempt", attempt.number())
                .addKeyValue("latency_ms", attempt.latency().toMillis())
                .addKeyValue("status", attempt.responseStatus().map(String::valueOf).orElse("none"))
                .addKeyValue("error_code", attempt.errorCode().map(ErrorCode::text).orElse("none"))
                .log("attempt.finished");
    }
}
