package dev.sluice.observe.sums;

import dev.sluice.platform.id.Uuid7;

import java.time.Instant;
import java.util.UUID;

/// Ids from `low` on, up to and without `high`. As ids begin with their time, it is a range of
/// time.
public record IdRange(UUID low, UUID high) {

    private static final long MINUTE_MILLIS = 60_000;

    /// Of what came in from `from` on and before `to`, as [Uuid7#bound(Instant)] takes them.
    public static IdRange between(Instant from, Instant to) {
        return new IdRange(Uuid7.bound(from), Uuid7.bound(to));
    }

    /// Whole minutes, counted since 1970.
    public static IdRange ofMinutes(long from, long to) {
        return new IdRange(floorOf(from), floorOf(to));
    }

    private static UUID floorOf(long minute) {
        return Uuid7.floor(Instant.ofEpochMilli(minute * MINUTE_MILLIS));
    }

    /// The minute that the range begins in.
    long firstMinute() {
        return minuteOf(low);
    }

    /// The first minute that begins in the range.
    long firstWholeMinute() {
        return low.equals(floorOf(firstMinute())) ? firstMinute() : firstMinute() + 1;
    }

    /// The minute that the range ends in, or at whose beginning it ends.
    long lastMinute() {
        return minuteOf(high);
    }

    private static long minuteOf(UUID id) {
        return Uuid7.timeOf(id).toEpochMilli() / MINUTE_MILLIS;
    }

    public boolean isEmpty() {
        return Uuid7.ORDER.compare(low, high) >= 0;
    }

    public boolean contains(UUID id) {
        return Uuid7.ORDER.compare(low, id) <= 0 && Uuid7.ORDER.compare(id, high) < 0;
    }

    /// What both have.
    public IdRange and(IdRange other) {
        return new IdRange(
                Uuid7.ORDER.compare(low, other.low) > 0 ? low : other.low,
                Uuid7.ORDER.compare(high, other.high) < 0 ? high : other.high);
    }
}
