package dev.sluice.gateway.destination;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// When a delivery is tried again: one wait for each retry, 1 to 10 of them, each 1 s to 24 h.
public record RetryPolicy(List<Duration> intervals) {

    public static final RetryPolicy DEFAULT =
            new RetryPolicy(
                    List.of(
                            Duration.ofSeconds(30),
                            Duration.ofMinutes(2),
                            Duration.ofMinutes(10),
                            Duration.ofHours(1),
                            Duration.ofHours(4)));

    public RetryPolicy {
        intervals = List.copyOf(intervals);
    }

    /// How long to wait after attempt number `attempt` (1-based) failed, or empty when that was the
    /// last. Spread evenly by `jitter` (a fraction) to both sides, so that deliveries that failed
    /// together do not come back together.
    public Optional<Duration> delayAfter(int attempt, double jitter, RandomGenerator random) {
        if (attempt > intervals.size()) {
            return Optional.empty();
        }
        double factor = 1 + jitter * (2 * random.nextDouble() - 1);
        return Optional.of(
                Duration.ofMillis(Math.round(intervals.get(attempt - 1).toMillis() * factor)));
    }

    /// How many attempts a delivery gets: the first, and one for each interval.
    public int attempts() {
        return intervals.size() + 1;
    }
}
