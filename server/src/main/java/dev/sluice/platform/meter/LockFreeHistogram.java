package dev.sluice.platform.meter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/// Counts values in buckets with fixed bounds. Recording a value costs a binary search and two
/// additions. Thread-safe.
public final class LockFreeHistogram {

    private static final double NANOS_PER_SECOND = 1e9;

    /// The bounds for durations, in seconds: from a millisecond to five minutes, which is the
    /// longest timeout that a destination can have.
    private static final double[] DURATION_BOUNDS = {
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300
    };

    private static final double[] SIZE_BOUNDS = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

    private final double[] bounds;
    private final double unit;
    private final LongAdder[] counts;
    private final LongAdder sum = new LongAdder();

    /// The counts and the sum of a histogram, as returned by [#state].
    ///
    /// @param bounds the upper bounds of the buckets, inclusive; the last one is infinite
    /// @param counts the number of values in each bucket (not cumulative)
    /// @param sum the sum of all values, in the unit of the bounds
    public record HistogramState(List<Double> bounds, List<Long> counts, double sum) {}

    private LockFreeHistogram(double[] bounds, double unit) {
        this.bounds = bounds;
        this.unit = unit;
        counts = new LongAdder[bounds.length + 1];
        Arrays.setAll(counts, _ -> new LongAdder());
    }

    /// Returns a histogram of durations, whose bounds and sum are in seconds.
    public static LockFreeHistogram ofDurations() {
        return new LockFreeHistogram(DURATION_BOUNDS, NANOS_PER_SECOND);
    }

    /// Returns a histogram of batch sizes.
    public static LockFreeHistogram ofSizes() {
        return new LockFreeHistogram(SIZE_BOUNDS, 1);
    }

    public void record(Duration duration) {
        record(duration.toNanos());
    }

    /// @param value in nanoseconds if this is a histogram of durations
    public void record(long value) {
        int found = Arrays.binarySearch(bounds, value / unit);
        counts[found < 0 ? -found - 1 : found].increment();
        sum.add(value);
    }

    /// Returns the current state. A value that is being recorded at the same time may be missing
    /// from its bucket or from the sum.
    public HistogramState state() {
        var upperBounds = new ArrayList<Double>();
        var inBuckets = new ArrayList<Long>();
        for (int i = 0; i < counts.length; i++) {
            upperBounds.add(i < bounds.length ? bounds[i] : Double.POSITIVE_INFINITY);
            inBuckets.add(counts[i].sum());
        }
        return new HistogramState(upperBounds, inBuckets, sum.sum() / unit);
    }
}
