package dev.sluice.account.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/// How long a plan keeps events, counted from when they were received. Immutable.
///
/// @param days empty if events are kept forever
public record Retention(OptionalInt days) {

    public static final Retention UNLIMITED = new Retention(OptionalInt.empty());

    private static final Duration MAX_NOTICE = Duration.ofHours(24);

    public static Retention ofDays(int days) {
        return new Retention(OptionalInt.of(days));
    }

    private Optional<Duration> length() {
        return days.isPresent() ? Optional.of(Duration.ofDays(days.getAsInt())) : Optional.empty();
    }

    /// Returns the cutoff: events that were received at or before this time have expired by `now`.
    /// Returns 1970-01-01T00:00Z if events never expire.
    public Instant expiryCutoff(Instant now) {
        return length().map(now::minus).orElse(Instant.EPOCH);
    }

    public boolean isExpired(Instant receivedAt, Instant now) {
        return !receivedAt.isAfter(expiryCutoff(now));
    }

    /// Whether events are kept for less time than under `other`.
    public boolean isShorterThan(Retention other) {
        return days.isPresent()
                && (other.days.isEmpty() || days.getAsInt() < other.days.getAsInt());
    }

    /// Returns when the event expires, or empty if it never does.
    public Optional<Instant> expiresAt(Instant receivedAt) {
        return length().map(receivedAt::plus);
    }

    /// Returns the notice period. Sluice announces the expiry of an event this long in advance,
    /// because expiry ends the event's unfinished deliveries.
    ///
    /// The period is 24 hours, or half the retention if the retention is shorter than two days.
    /// Returns empty if events never expire.
    public Optional<Duration> noticePeriod() {
        return length().map(all -> all.dividedBy(2))
                .map(half -> half.compareTo(MAX_NOTICE) < 0 ? half : MAX_NOTICE);
    }

    /// Whether the event expires within the notice period or has already expired.
    public boolean isNearExpiry(Instant receivedAt, Instant now) {
        return noticePeriod().map(notice -> isExpired(receivedAt, now.plus(notice))).orElse(false);
    }
}
