package dev.sluice.bench.measure;

/// A histogram of durations, with buckets whose width grows with the duration. Each power of two
/// has 128 buckets, so a percentile is at most 0.8 % too high. The number of buckets is fixed, and
/// recording allocates nothing. Not thread-safe.
public final class Histogram {

    private static final int BUCKET_BITS = 7;
    private static final int BUCKETS_PER_POWER = 1 << BUCKET_BITS;

    private final long[] counts = new long[(Long.SIZE - BUCKET_BITS) * BUCKETS_PER_POWER];
    private long count;

    private long max;

    /// Records a duration. A negative duration, which can occur if different processes record the
    /// start and the end, counts as zero.
    public void record(long nanos) {
        long value = Math.max(nanos, 0);
        counts[bucket(value)]++;
        count++;

        max = Math.max(max, value);
    }

    public long count() {
        return count;
    }

    /// Returns a percentile in nanoseconds. For example, a `share` of 0.99 gives the 99th
    /// percentile. The result is rounded up to the end of its bucket, but is never above the
    /// longest recorded duration. Returns 0 if nothing was recorded.
    public long percentile(double share) {
        long rank = Math.max(1, (long) Math.ceil(share * count));
        long seen = 0;
        for (int bucket = 0; bucket < counts.length; bucket++) {
            seen += counts[bucket];
            if (seen >= rank) {
                return Math.min(upperBound(bucket), max);
            }
        }
        return max;
    }

    public LatencySummary summary() {
        return new LatencySummary(
                millis(percentile(0.5)),
                millis(percentile(0.9)),
                millis(percentile(0.99)),
                millis(percentile(0.999)),
                millis(max));
    }

    private static int bucket(long value) {
        if (value < BUCKETS_PER_POWER) {
            return (int) value;
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(value) - BUCKET_BITS;
        return (shift + 1) * BUCKETS_PER_POWER + (int) (value >>> shift) - BUCKETS_PER_POWER;
    }

    private static long upperBound(int bucket) {
        if (bucket < BUCKETS_PER_POWER) {
            return bucket;
        }
        int shift = bucket / BUCKETS_PER_POWER - 1;
        long lead = BUCKETS_PER_POWER + (long) (bucket % BUCKETS_PER_POWER);
        return ((lead + 1) << shift) - 1;
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }
}
