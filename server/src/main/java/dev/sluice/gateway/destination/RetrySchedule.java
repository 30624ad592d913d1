package dev.sluice.gateway.destination;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// A destination's retry schedule: how long to wait between the attempts at a delivery. The API
/// calls it `retry_policy`. The class `Verdict` decides which failed attempts are retried.
/// Immutable.
///
/// @param intervals how long to wait before each retry: 1 to 10 intervals, each from 1 s to 24 h
public record RetrySchedule(List<Duration> intervals) {

    public static final RetrySchedule DEFAULT =
            new RetrySchedule(
                    List.of(
                            Duration.ofSeconds(30),
                            Duration.ofMinutes(2),
                            Duration.ofMinutes(10),
                            Duration.ofHours(1),
                            Duration.ofHours(4)));

    public RetrySchedule {
        intervals = List.copyOf(intervals);
    }

    /// Returns how long to wait after a failed attempt, or empty if it was the last attempt.
    ///
    /// The wait varies randomly, so that deliveries that failed at the same time are not all
    /// retried at the same time.
    ///
    /// @param attempt the number of the failed attempt, starting at 1
    /// @param jitter the largest variation in either direction, as a fraction of the interval; the
    ///   variation is uniformly distributed
    public Optional<Duration> delayAfter(int attempt, double jitter, RandomGenerator random) {
        if (attempt > intervals.size()) {
            return Optional.empty();
        }
        double factor = 1 + jitter * (2 * random.nextDouble() - 1);
        return Optional.of(
                Duration.ofMillis(Math.round(intervals.get(attempt - 1).toMillis() * factor)));
    }

    /// Returns the maximum number of attempts: the first one, plus one for each interval.
    public int maxAttempts() {
        return intervals.size() + 1;
    }
}
