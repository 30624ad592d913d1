package dev.sluice.observe.sums;

import dev.sluice.platform.id.Uuid7;

import java.time.Instant;
import java.util.Comparator;
import java.util.UUID;

/// Ids from `low` on, up to and without `high`. As ids begin with their time, it is a range of
/// time.
public record IdRange(UUID low, UUID high) {

    /// As PostgreSQL compares them, byte by byte.
    public static final Comparator<UUID> ORDER =
            (a, b) -> {
                int high =
                        Long.compareUnsigned(
                                a.getMostSignificantBits(), b.getMostSignificantBits());
                return high != 0
                        ? high
                        : Long.compareUnsigned(
                                a.getLeastSignificantBits(), b.getLeastSignificantBits());
            };

    private static final long MINUTE_MILLIS = 60_000;

    /// Later than any event; a whole day, so that nothing is left over at this end.
    public static final Instant FOREVER = Instant.parse("9999-12-31T00:00:00Z");

    /// Of what came in from `from` on and before `to`, both to the millisecond and rounded up: what
    /// came in within a millisecond stands at its beginning.
    public static IdRange between(Instant from, Instant to) {
        return new IdRange(floor(from), floor(to));
    }

    private static UUID floor(Instant instant) {
        var later = instant.plusNanos(999_999);
        if (later.isBefore(Instant.EPOCH)) {
            return Uuid7.floor(Instant.EPOCH);
        }
        return Uuid7.floor(later.isAfter(FOREVER) ? FOREVER : later);
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
        return ORDER.compare(low, high) >= 0;
    }

    public boolean contains(UUID id) {
        return ORDER.compare(low, id) <= 0 && ORDER.compare(id, high) < 0;
    }

    /// What both have.
    public IdRange and(IdRange other) {
        return new IdRange(
                ORDER.compare(low, other.low) > 0 ? low : other.low,
                ORDER.compare(high, other.high) < 0 ? high : other.high);
    }
}
