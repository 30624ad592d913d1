package dev.sluice.engine.settle;

import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.Outcome.AttemptError;
import dev.sluice.engine.Outcome.DestinationResponse;
import dev.sluice.engine.ResponseClass;
import dev.sluice.gateway.destination.RetrySchedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Says what an attempt's outcome means for its delivery.
///
/// | outcome | verdict |
/// | --- | --- |
/// | success (see [ResponseClass]) | succeeded |
/// | refusal | failed |
/// | the transformation failed | failed: nothing was sent, and a retry would fail as well |
/// | anything else, if the schedule has an interval left | retry after that interval (see below) |
/// | anything else | exhausted |
///
/// After a 429 or 503, the response's `Retry-After` can make the wait longer, up to 24 hours.
sealed interface Verdict {

    record Succeeded() implements Verdict {}

    record Failed() implements Verdict {}

    record RetryAt(Instant at) implements Verdict {}

    record Exhausted() implements Verdict {}

    /// The maximum wait that a destination can request with `Retry-After`.
    Duration MAX_RETRY_AFTER = Duration.ofHours(24);

    /// Decides what the outcome means for the delivery.
    ///
    /// @param attempt the number of the attempt that had this outcome, starting at 1
    /// @param jitter a fraction; see [RetrySchedule#delayAfter]
    static Verdict of(
            Outcome outcome,
            int attempt,
            RetrySchedule schedule,
            double jitter,
            Instant now,
            RandomGenerator random) {
        return switch (outcome) {
            case DestinationResponse answered ->
                    switch (ResponseClass.of(answered.status())) {
                        case SUCCESS -> new Succeeded();
                        case REFUSAL -> new Failed();
                        case REDIRECT, TEMPORARY_FAILURE ->
                                retry(
                                        attempt,
                                        schedule,
                                        jitter,
                                        now,
                                        random,
                                        requestedDelay(answered));
                    };
            case AttemptError(ErrorCode code, _, _) when code == ErrorCode.TRANSFORMATION_FAILED ->
                    new Failed();
            case AttemptError _ -> retry(attempt, schedule, jitter, now, random, Duration.ZERO);
        };
    }

    private static Verdict retry(
            int attempt,
            RetrySchedule schedule,
            double jitter,
            Instant now,
            RandomGenerator random,
            Duration requestedDelay) {
        Optional<Duration> delay = schedule.delayAfter(attempt, jitter, random);
        if (delay.isEmpty()) {
            return new Exhausted();
        }
        boolean isLater = requestedDelay.compareTo(delay.get()) > 0;
        return new RetryAt(now.plus(isLater ? requestedDelay : delay.get()));
    }

    /// Returns the wait that `Retry-After` requests, at most [#MAX_RETRY_AFTER]. Returns zero if
    /// there is no such header, or if the status is neither 429 nor 503. The wait can make a retry
    /// later than planned, but never earlier.
    private static Duration requestedDelay(DestinationResponse answered) {
        if (answered.status() != 429 && answered.status() != 503) {
            return Duration.ZERO;
        }
        return answered.retryAfter()
                .map(wait -> wait.compareTo(MAX_RETRY_AFTER) > 0 ? MAX_RETRY_AFTER : wait)
                .orElse(Duration.ZERO);
    }
}
