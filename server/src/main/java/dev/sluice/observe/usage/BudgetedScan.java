package dev.sluice.observe.usage;

import java.time.Duration;

/// A scan through a list of rows, newest first, that stops when it has used up its time budget.
///
/// It is used for conditions that neither an index nor a usage count covers.
public final class BudgetedScan {

    /// The maximum time for a scan. With this limit, a whole list request takes less than 100 ms.
    public static final Duration SCAN_TIME_BUDGET = Duration.ofMillis(35);

    /// The number of rows to scan before the elapsed time is first checked.
    private static final int INITIAL_STEP_ROWS = 2_000;

    private static final int MIN_STEP_ROWS = 500;
    private static final int MAX_STEP_ROWS = 50_000;

    /// Reads the rows at one location of the list.
    @FunctionalInterface
    public interface PageVisitor {
        void visit(PageLocator.PageLocation location);
    }

    private BudgetedScan() {}

    /// Returns the number of rows scanned. This is less than the list's total if the time ran out
    /// first.
    public static long scan(PageLocator locator, Duration budget, PageVisitor visitor) {
        long start = System.nanoTime();
        long total = locator.total();
        long offset = 0;
        for (int step = INITIAL_STEP_ROWS; offset < total; ) {
            visitor.visit(locator.locate(offset, step));
            offset += step;
            long elapsed = System.nanoTime() - start;
            long left = budget.toNanos() - elapsed;
            if (left <= 0) {
                break;
            }
            // The next step should fill the remaining time at the speed measured so far.
            step = (int) Math.clamp(offset * (double) left / elapsed, MIN_STEP_ROWS, MAX_STEP_ROWS);
        }
        return Math.min(offset, total);
    }
}
