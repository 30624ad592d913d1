package dev.sluice.platform.id;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/// Makes time-ordered UUIDs (RFC 9562, version 7): 48 bits of milliseconds, a 12-bit counter within
/// the millisecond, random bits.
///
/// Ids of one generator never repeat and never go backwards, also when the clock does. Safe for use
/// by many threads.
public final class Uuid7 {

    /// As PostgreSQL compares them, byte by byte.
    public static final Comparator<UUID> ORDER =
            (one, other) -> {
                int high =
                        Long.compareUnsigned(
                                one.getMostSignificantBits(), other.getMostSignificantBits());
                return high != 0
                        ? high
                        : Long.compareUnsigned(
                                one.getLeastSignificantBits(), other.getLeastSignificantBits());
            };

    /// Later than any id; a whole day, so that nothing is left over at this end.
    public static final Instant FOREVER = Instant.parse("9999-12-31T00:00:00Z");

    private static final int COUNTER_BITS = 12;
    private static final long COUNTER = (1L << COUNTER_BITS) - 1;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    private final InstantSource clock;
    private final RandomGenerator random;

    /// Milliseconds and counter of the newest id; a counter that overflows runs into the next
    /// millisecond.
    private final AtomicLong newest = new AtomicLong();

    public Uuid7(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    public UUID next() {
        return next(0);
    }

    /// An id whose low `bits` bits are zero, for owners that number their parts there.
    public UUID next(int bits) {
        long now = clock.millis() << COUNTER_BITS;
        long stamp = newest.accumulateAndGet(now, (last, wanted) -> Math.max(last + 1, wanted));
        long high = ((stamp >>> COUNTER_BITS) << 16) | 0x7000 | (stamp & COUNTER);
        long low = (random.nextLong() >>> 2) & (-1L << bits);
        return new UUID(high, VARIANT | low);
    }

    /// When the id was made, to the millisecond.
    public static Instant timeOf(UUID id) {
        return Instant.ofEpochMilli(millisOf(id));
    }

    /// When the id was made, in milliseconds since 1970.
    public static long millisOf(UUID id) {
        return id.getMostSignificantBits() >>> 16;
    }

    /// The smallest id that can be made at `instant` or later: ids are compared as PostgreSQL does,
    /// byte by byte, so this bounds a range of time.
    public static UUID floor(Instant instant) {
        return new UUID(instant.toEpochMilli() << 16, 0);
    }

    /// As [#floor(Instant)] for any instant, however far: what was made within a millisecond stands
    /// at its beginning, so the instant is rounded up, and kept between 1970 and [#FOREVER].
    public static UUID bound(Instant instant) {
        if (instant.isBefore(Instant.EPOCH)) {
            return floor(Instant.EPOCH);
        }
        return floor(instant.isAfter(FOREVER) ? FOREVER : instant.plusNanos(999_999));
    }
}
