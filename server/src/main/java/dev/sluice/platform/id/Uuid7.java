package dev.sluice.platform.id;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/// Generates time-ordered UUIDs (RFC 9562, version 7).
///
/// An id consists of 48 bits for the Unix time in milliseconds, a 12-bit counter within the
/// millisecond, and random bits. Thread-safe.
///
/// The ids from one generator increase, unless the newest id is more than a minute ahead of the
/// clock, for example because the clock was set back. In that case the generator follows the clock
/// back. It does so because an id is also a time, and data with ids in the future would be kept for
/// too long. Ids do not repeat even then, because 62 of their bits are random, minus those that
/// [#next(int)] sets to zero.
public final class Uuid7 {

    /// Orders UUIDs as PostgreSQL does: by their bytes, unsigned.
    public static final Comparator<UUID> UNSIGNED_ORDER =
            (one, other) -> {
                int high =
                        Long.compareUnsigned(
                                one.getMostSignificantBits(), other.getMostSignificantBits());
                return high != 0
                        ? high
                        : Long.compareUnsigned(
                                one.getLeastSignificantBits(), other.getLeastSignificantBits());
            };

    /// The upper limit for times in id ranges: no id is made after this time. It is the start of a
    /// day, so that ranges that end here divide into whole days.
    public static final Instant MAX_TIME = Instant.parse("9999-12-31T00:00:00Z");

    private static final Duration MAX_AHEAD_OF_CLOCK = Duration.ofMinutes(1);
    private static final int COUNTER_BITS = 12;
    private static final long COUNTER_MASK = (1L << COUNTER_BITS) - 1;
    private static final long MAX_STAMP_AHEAD = MAX_AHEAD_OF_CLOCK.toMillis() << COUNTER_BITS;
    private static final long VARIANT_BITS = 0x8000_0000_0000_0000L;

    private final InstantSource clock;
    private final RandomGenerator random;

    /// The milliseconds and counter of the newest id. When the counter overflows, it carries over
    /// into the next millisecond.
    private final AtomicLong newest = new AtomicLong();

    public Uuid7(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    public UUID next() {
        return next(0);
    }

    /// Returns a new id whose low `bits` bits are zero. The caller can use those bits to number the
    /// parts of an object.
    public UUID next(int bits) {
        long now = clock.millis() << COUNTER_BITS;
        long stamp = newest.accumulateAndGet(now, Uuid7::following);
        long high = ((stamp >>> COUNTER_BITS) << 16) | 0x7000 | (stamp & COUNTER_MASK);
        long low = (random.nextLong() >>> 2) & (-1L << bits);
        return new UUID(high, VARIANT_BITS | low);
    }

    private static long following(long last, long now) {
        return last - now > MAX_STAMP_AHEAD ? now : Math.max(last + 1, now);
    }

    /// Returns when the id was made, to the millisecond.
    public static Instant timeOf(UUID id) {
        return Instant.ofEpochMilli(millisOf(id));
    }

    /// Returns when the id was made, in milliseconds since 1970.
    public static long millisOf(UUID id) {
        return id.getMostSignificantBits() >>> 16;
    }

    /// Returns the lower bound, in [#UNSIGNED_ORDER], for all ids made in the same millisecond as
    /// `instant`. The bound is not itself a version 7 UUID, and is used only as an end of a range
    /// of ids.
    public static UUID floor(Instant instant) {
        return new UUID(instant.toEpochMilli() << 16, 0);
    }

    /// Returns the lower bound for all ids made after the millisecond that contains `instant`.
    public static UUID floorAfter(Instant instant) {
        return floor(instant.plusMillis(1));
    }

    public static UUID max(UUID one, UUID other) {
        return UNSIGNED_ORDER.compare(one, other) >= 0 ? one : other;
    }

    public static UUID min(UUID one, UUID other) {
        return UNSIGNED_ORDER.compare(one, other) <= 0 ? one : other;
    }

    /// Returns the lower bound for all ids made at `instant` or later. Any instant is accepted.
    ///
    /// Ids contain only whole milliseconds, so the instant is rounded up to a whole millisecond. An
    /// instant before 1970 counts as 1970, and one after [#MAX_TIME] counts as [#MAX_TIME].
    public static UUID lowerBound(Instant instant) {
        if (instant.isBefore(Instant.EPOCH)) {
            return floor(Instant.EPOCH);
        }
        return floor(instant.isAfter(MAX_TIME) ? MAX_TIME : instant.plusNanos(999_999));
    }
}
