package dev.sluice.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;

/// Makes random times of events for tests of searches, many of them where searches can go wrong.
public final class RandomTimes {

    private static final long MINUTE = Duration.ofMinutes(1).toMillis();

    private final Random random;
    private final Instant retainedSince;

    /// @param retainedSince events received before this time are expired
    public RandomTimes(Random random, Instant retainedSince) {
        this.random = random;
        this.retainedSince = retainedSince;
    }

    /// Returns a time in a crowded minute, near the limit of retention (sometimes before it), or
    /// anywhere in three days.
    public Instant next() {
        return switch (random.nextInt(4)) {
            case 0 -> Some.NOON.plusMillis(random.nextLong(2 * MINUTE));
            case 1 -> Some.NOON.plus(Duration.ofHours(12)).plusMillis(random.nextLong(MINUTE));
            case 2 -> retainedSince.plusMillis(random.nextLong(-30 * MINUTE, 30 * MINUTE));
            default -> retainedSince.plusMillis(random.nextLong(Duration.ofDays(3).toMillis()));
        };
    }

    /// Like [#next], but often exactly at the start of an hour or a day.
    public Instant nextBound() {
        var time = next();
        return switch (random.nextInt(4)) {
            case 0 -> time.truncatedTo(ChronoUnit.HOURS);
            case 1 -> time.truncatedTo(ChronoUnit.DAYS);
            case 2 -> time.plusNanos(random.nextInt(1_000_000));
            default -> time;
        };
    }
}
