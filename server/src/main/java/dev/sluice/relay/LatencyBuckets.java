package dev.sluice.relay;

import java.time.Duration;

/// The buckets in which latencies are counted: exact up to 7 ms, and then four for each doubling.
///
/// Counts of the same buckets can be added up, so a percentile can be read for any set of
/// connections and hours. It is at most 12.5 % away from the exact one.
public final class LatencyBuckets {

    public static final int COUNT = 72;

    private static final int MAX_MILLIS = (1 << 19) - 1;
    private static final int EXACT_BUCKETS = 4;
    private static final int BUCKETS_PER_DOUBLING = 4;

    private LatencyBuckets() {}

    /// Returns the bucket, from 0 to 71. The last bucket has everything from 458 s.
    public static int indexOf(Duration latency) {
        int millis = Math.clamp(latency.toMillis(), 0, MAX_MILLIS);
        if (millis < EXACT_BUCKETS) {
            return millis;
        }
        int exponent = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(millis);
        int quarter = millis >> (exponent - 2) & (BUCKETS_PER_DOUBLING - 1);
        return BUCKETS_PER_DOUBLING * (exponent - 1) + quarter;
    }

    /// Returns the lowest latency in the bucket, in milliseconds.
    public static int lowest(int index) {
        return index < EXACT_BUCKETS
                ? index
                : (BUCKETS_PER_DOUBLING + index % BUCKETS_PER_DOUBLING) << shift(index);
    }

    /// Returns the highest latency in the bucket, in milliseconds.
    public static int highest(int index) {
        return index < EXACT_BUCKETS ? index : lowest(index) + (1 << shift(index)) - 1;
    }

    private static int shift(int index) {
        return index / BUCKETS_PER_DOUBLING - 1;
    }
}
