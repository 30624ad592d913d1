package dev.sluice.observe.usage;

import dev.sluice.observe.usage.PageLocator.PageLocation;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;

import java.util.List;
import java.util.function.ToLongFunction;

/// Finds the time at which a page begins within windows that have many rows before the page.
///
/// To count rows by an index takes far less time than to read them in order and skip them. So this
/// guesses a time shortly before the page, counts the rows on the side of it that has fewer, and
/// guesses again between the times that are left. If rows arrived at an even rate, two or three
/// guesses are enough.
final class DeepPage {

    /// So many rows may be skipped by the query that reads the page.
    private static final long MAX_SKIPPED_ROWS = 200;

    /// The maximum number of guesses. Every second guess is the middle, so that half as many
    /// guesses divide the shortest and the longest of times to less than a millisecond.
    private static final int MAX_GUESSES = 50;

    private final List<SourceWindow> windows;
    private final ToLongFunction<List<SourceWindow>> rowCounter;

    /// The times between which the page begins, in milliseconds since 1970.
    private long low;

    private long high;

    /// The number of rows from `low` up to `high`.
    private long rows;

    /// How many of these rows come before the page.
    private long offset;

    private DeepPage(PageLocation page, long rows, ToLongFunction<List<SourceWindow>> rowCounter) {
        this.windows = page.windows();
        this.rowCounter = rowCounter;
        this.rows = rows;
        this.offset = page.offset();
        low =
                windows.stream()
                        .mapToLong(window -> Uuid7.millisOf(window.ids().low()))
                        .min()
                        .orElse(0);
        high =
                windows.stream()
                        .mapToLong(window -> Uuid7.millisOf(window.ids().high()) + 1)
                        .max()
                        .orElse(0);
    }

    /// Cuts rows that come before the page off the page's windows.
    ///
    /// @param rows the number of matching rows in the page's windows
    /// @param rowCounter counts the matching rows in a list of windows; the list is never empty
    static PageLocation skipNewer(
            PageLocation page, long rows, ToLongFunction<List<SourceWindow>> rowCounter) {
        if (page.offset() <= MAX_SKIPPED_ROWS) {
            return page;
        }
        var deep = new DeepPage(page, rows, rowCounter);
        for (int i = 0; i < MAX_GUESSES && !deep.isFound(); i++) {
            deep.divideAt(i % 2 == 0 ? deep.interpolated() : (deep.low + deep.high) >>> 1);
        }
        return new PageLocation(
                SourceWindow.within(IdRange.ofMillis(0, deep.high), page.windows()),
                deep.offset,
                page.limit());
    }

    private boolean isFound() {
        return offset <= MAX_SKIPPED_ROWS || high - low <= 1;
    }

    /// Returns a time shortly before the page, if rows arrived at an even rate.
    private long interpolated() {
        double before = offset - MAX_SKIPPED_ROWS / 2.0;
        return high - (long) ((high - low) * Math.min(1, before / rows));
    }

    /// Drops the rows on that side of a time on which the page does not begin.
    private void divideAt(long guess) {
        long time = Math.clamp(guess, low + 1, high - 1);
        long newer =
                offset * 2 <= rows
                        ? count(IdRange.ofMillis(time, high))
                        : Math.max(0, rows - count(IdRange.ofMillis(low, time)));
        if (newer <= offset) {
            high = time;
            offset -= newer;
            rows -= newer;
        } else {
            low = time;
            rows = newer;
        }
    }

    private long count(IdRange range) {
        var parts = SourceWindow.within(range, windows);
        return parts.isEmpty() ? 0 : rowCounter.applyAsLong(parts);
    }
}
