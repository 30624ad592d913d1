package dev.sluice.account.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/// How long a plan keeps events, counted from their arrival. Never ends where `days` is empty.
public record Retention(OptionalInt days) {

    public static final Retention UNLIMITED = new Retention(OptionalInt.empty());

    private static final Duration LONGEST_NOTICE = Duration.ofHours(24);

    public static Retention ofDays(int days) {
        return new Retention(OptionalInt.of(days));
    }

    private Optional<Duration> length() {
        return days.isPresent() ? Optional.of(Duration.ofDays(days.getAsInt())) : Optional.empty();
    }

    /// What came in then or earlier is expired at `now`.
    public Instant expiredAt(Instant now) {
        return length().map(now::minus).orElse(Instant.EPOCH);
    }

    public boolean isOver(Instant receivedAt, Instant now) {
        return !receivedAt.isAfter(expiredAt(now));
    }

    /// Empty when it never does.
    public Optional<Instant> expiresAt(Instant receivedAt) {
        return length().map(receivedAt::plus);
    }

    /// How long before its end it is told what will end with it: 24 hours, and half of a retention
    /// that is shorter than two days. Empty when it has no end.
    public Optional<Duration> notice() {
        return length().map(all -> all.dividedBy(2))
                .map(half -> half.compareTo(LONGEST_NOTICE) < 0 ? half : LONGEST_NOTICE);
    }

    /// Whether its end is near enough to be told of.
    public boolean isEndNear(Instant receivedAt, Instant now) {
        return notice().map(notice -> isOver(receivedAt, now.plus(notice))).orElse(false);
    }
}
