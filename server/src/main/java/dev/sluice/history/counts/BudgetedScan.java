package dev.sluice.history.counts;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/// A scan through a list of rows, newest first, that stops when its time budget is used up.
///
/// A scan is used for conditions that are covered neither by an index nor by the usage counts.
public final class BudgetedScan {

    /// The time after which a scan starts no further steps. It is short enough for a whole list
    /// request to take less than 100 ms.
    public static final Duration SCAN_TIME_BUDGET = Duration.ofMillis(35);

    /// The number of rows to scan before the elapsed time is first checked. This number is small
    /// because finding one row may require reading hundreds of others. For example, unfinished
    /// deliveries are found by reading all events in each source's windows ([SourceWindow]).
    public static final int INITIAL_STEP_ROWS = 50;

    private static final int MIN_STEP_ROWS = 25;
    private static final int MAX_STEP_ROWS = 50_000;

    /// Reads the rows at one location of the list.
    @FunctionalInterface
    public interface PageVisitor {
        /// Returns the id of the last row read, or empty if there were fewer rows than the
        /// location's limit, which means that the list ends there.
        Optional<UUID> visit(PageLocator.PageLocation location);
    }

    private BudgetedScan() {}

    /// Scans the rows whose ids are less than `before`, in steps. The first step is taken even if
    /// the budget is zero.
    ///
    /// @return the id at which the scan stopped, or empty if the scan reached the end of the list;
    ///   all rows that were not scanned have lower ids
    public static Optional<UUID> scan(
            PageLocator locator, UUID before, Duration budget, PageVisitor visitor) {
        long start = System.nanoTime();
        long scanned = 0;
        var position = before;
        for (int step = INITIAL_STEP_ROWS; ; ) {
            var last = visitor.visit(locator.locateBefore(position, step));
            if (last.isEmpty()) {
                return last;
            }
            position = last.get();
            scanned += step;
            long elapsed = System.nanoTime() - start;
            long left = budget.toNanos() - elapsed;
            if (left <= 0) {
                return last;
            }
            // The next step should fill the remaining time at the speed measured so far.
            step =
                    (int)
                            Math.clamp(
                                    scanned * (double) left / elapsed,
                                    MIN_STEP_ROWS,
                                    MAX_STEP_ROWS);
        }
    }
}
