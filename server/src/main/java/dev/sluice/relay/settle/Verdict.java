package dev.sluice.relay.settle;

import dev.sluice.gateway.destination.RetryPolicy;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.Outcome.Answered;
import dev.sluice.relay.Outcome.Unreachable;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// What an outcome means for the delivery.
///
/// | outcome | verdict |
/// | --- | --- |
/// | 2xx | succeeded |
/// | 4xx other than 408 and 429 | failed |
/// | the transformation failed | failed: nothing was sent, and the same configuration would fail again |
/// | everything else, with an interval left | another attempt after it |
/// | everything else | exhausted |
sealed interface Verdict {

    record Succeeded() implements Verdict {}

    record Failed() implements Verdict {}

    record RetryAt(Instant at) implements Verdict {}

    record Exhausted() implements Verdict {}

    /// A destination cannot ask for more patience than this.
    Duration MOST_PATIENCE = Duration.ofHours(24);

    /// @param attempt number of the attempt that had this outcome, 1-based
    /// @param jitter a fraction, see [RetryPolicy#delayAfter]
    static Verdict of(
            Outcome outcome,
            int attempt,
            RetryPolicy policy,
            double jitter,
            Instant now,
            RandomGenerator random) {
        return switch (outcome) {
            case Answered answered when isSuccess(answered.status()) -> new Succeeded();
            case Answered answered when isRefusal(answered.status()) -> new Failed();
            case Answered answered ->
                    retry(attempt, policy, jitter, now, random, patience(answered));
            case Unreachable(ErrorCode code, _, _) when code == ErrorCode.TRANSFORMATION_FAILED ->
                    new Failed();
            case Unreachable _ -> retry(attempt, policy, jitter, now, random, Duration.ZERO);
        };
    }

    private static Verdict retry(
            int attempt,
            RetryPolicy policy,
            double jitter,
            Instant now,
            RandomGenerator random,
            Duration patience) {
        Optional<Duration> delay = policy.delayAfter(attempt, jitter, random);
        if (delay.isEmpty()) {
            return new Exhausted();
        }
        boolean isLater = patience.compareTo(delay.get()) > 0;
        return new RetryAt(now.plus(isLater ? patience : delay.get()));
    }

    /// What `Retry-After` asks for, where it may: it never makes an attempt come earlier.
    private static Duration patience(Answered answered) {
        if (answered.status() != 429 && answered.status() != 503) {
            return Duration.ZERO;
        }
        return answered.retryAfter()
                .map(wait -> wait.compareTo(MOST_PATIENCE) > 0 ? MOST_PATIENCE : wait)
                .orElse(Duration.ZERO);
    }

    private static boolean isSuccess(int status) {
        return status >= 200 && status < 300;
    }

    /// A 4xx the destination means; 408 and 429 only ask for patience.
    private static boolean isRefusal(int status) {
        return status >= 400 && status < 500 && status != 408 && status != 429;
    }
}
