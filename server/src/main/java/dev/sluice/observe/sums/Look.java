package dev.sluice.observe.sums;

import java.time.Duration;

/// Looks through a timeline, newest first, for what no index and no sum tells, and ends when its
/// time is up.
public final class Look {

    /// With what else a list takes, it stays below a tenth of a second.
    public static final Duration BUDGET = Duration.ofMillis(35);

    /// Rows that are looked through before the first look at the time.
    private static final int FIRST_STEP = 2_000;

    private static final int LEAST_STEP = 500;
    private static final int LONGEST_STEP = 50_000;

    /// Looks at one part of the timeline.
    @FunctionalInterface
    public interface Step {
        void look(Timeline.Place place);
    }

    private Look() {}

    /// How many were looked through; less than the timeline's total when the time was up before.
    public static long through(Timeline timeline, Duration budget, Step look) {
        long start = System.nanoTime();
        long total = timeline.total();
        long offset = 0;
        for (int step = FIRST_STEP; offset < total; ) {
            look.look(timeline.find(offset, step));
            offset += step;
            long taken = System.nanoTime() - start;
            long left = budget.toNanos() - taken;
            if (left <= 0) {
                break;
            }
            // as many as the time that is left is enough for, as fast as it went so far
            step = (int) Math.clamp(offset * (double) left / taken, LEAST_STEP, LONGEST_STEP);
        }
        return Math.min(offset, total);
    }
}
