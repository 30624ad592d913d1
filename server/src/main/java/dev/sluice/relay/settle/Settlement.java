package dev.sluice.relay.settle;

import dev.sluice.gateway.routing.Route;
import dev.sluice.relay.Attempt;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.Work;
import dev.sluice.relay.store.Settled;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Turns an outcome into what is to be written. Safe for use by many threads.
public final class Settlement {

    private static final Logger log = LoggerFactory.getLogger(Settlement.class);

    private final InstantSource clock;
    private final RandomGenerator random;
    private final double jitter;

    public Settlement(InstantSource clock, RandomGenerator random, double jitter) {
        this.clock = clock;
        this.random = random;
        this.jitter = jitter;
    }

    /// @param route it was sent by
    public Settled settle(Work work, Route route, Instant attemptedAt, Outcome outcome) {
        int number = work.attempts() + 1;
        var now = clock.instant();
        var destination = route.destination();
        var verdict =
                Verdict.of(outcome, number, destination.spec().retryPolicy(), jitter, now, random);
        var attempt = attempt(number, attemptedAt, route, outcome);
        report(work, attempt, verdict);
        return switch (verdict) {
            case Verdict.Succeeded() -> finished(work, DeliveryStatus.SUCCEEDED, attempt, now);
            case Verdict.Failed() -> finished(work, DeliveryStatus.FAILED, attempt, now);
            case Verdict.Exhausted() -> finished(work, DeliveryStatus.EXHAUSTED, attempt, now);
            case Verdict.RetryAt(Instant at) -> new Settled.Retried(work, attempt, at);
        };
    }

    private static Settled finished(
            Work work, DeliveryStatus status, Attempt attempt, Instant now) {
        return new Settled.Finished(work, status, Optional.of(attempt), Optional.empty(), now);
    }

    private static Attempt attempt(int number, Instant at, Route route, Outcome outcome) {
        var revision = route.destination().revision();
        return switch (outcome) {
            case Outcome.Answered(int status, String body, var latency, _) ->
                    new Attempt(
                            number,
                            at,
                            revision,
                            latency,
                            Optional.of(status),
                            errorCode(status),
                            errorCode(status).map(code -> message(code, status)),
                            Optional.of(body));
            case Outcome.Unreachable(ErrorCode code, String detail, var latency) ->
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
        if (status >= 200 && status < 300) {
            return Optional.empty();
        }
        return Optional.of(
                status >= 300 && status < 400 ? ErrorCode.REDIRECT : ErrorCode.HTTP_STATUS);
    }

    private static String message(ErrorCode code, int status) {
        return code == ErrorCode.REDIRECT
                ? "Destination answered " + status + ", a redirect; redirects are not followed"
                : "Destination answered " + status;
    }

    /// One wide line for each attempt; those that succeed only at debug.
    private static void report(Work work, Attempt attempt, Verdict verdict) {
        boolean isSuccess = verdict instanceof Verdict.Succeeded;
        if (isSuccess && !log.isDebugEnabled()) {
            return;
        }
        var line =
                log.atLevel(isSuccess ? Level.DEBUG : Level.INFO)
                        .addKeyValue("delivery_id", work.id())
                        .addKeyValue("connection_id", work.connection())
                        .addKeyValue("attempt", attempt.number())
                        .addKeyValue("latency_ms", attempt.latency().toMillis());
        if (attempt.responseStatus().isPresent()) {
            line = line.addKeyValue("status", attempt.responseStatus().get());
        }
        if (attempt.errorCode().isPresent()) {
            line = line.addKeyValue("error_code", attempt.errorCode().get().text());
        }
        if (verdict instanceof Verdict.RetryAt(Instant at)) {
            line = line.addKeyValue("next_attempt_at", at);
        }
        line.log("attempt.finished");
    }
}
