package dev.sluice.engine;

import java.time.Duration;

/// The buckets in which latencies are counted: one bucket for each millisecond up to 7 ms, then
/// four buckets for each doubling of the latency.
///
/// A bucket's counts can be added up across any set of connections and hours, and percentiles can
/// be computed from the sums. Such a percentile is off by less than 25 %, unless it lies in the
/// last bucket.
public final class LatencyBuckets {

    public static final int COUNT = 72;

    private static final int MAX_MILLIS = (1 << 19) - 1;
    private static final int EXACT_BUCKETS = 4;
    private static final int BUCKETS_PER_DOUBLING = 4;

    private LatencyBuckets() {}

    /// Returns the index of this latency's bucket, from 0 to 71. The last bucket counts all
    /// latencies of at least 458.752 s.
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

    /// Returns the highest latency in the bucket, in milliseconds. The last bucket also counts all
    /// higher latencies.
    public static int highest(int index) {
        return index < EXACT_BUCKETS ? index : lowest(index) + (1 << shift(index)) - 1;
    }

    private static int shift(int index) {
        return index / BUCKETS_PER_DOUBLING - 1;
    }
}
