package dev.sluice.history.counts;

import dev.sluice.history.counts.PageLocator.PageLocation;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/// Finds the time at which a page begins. This is needed if the time unit in which the page begins
/// contains many rows that come before the page.
///
/// The list is sorted newest first, so the rows before a page are newer. Counting rows through an
/// index is far faster than reading and skipping them. The search therefore guesses a time shortly
/// before the page and counts the rows on the side of that time that is likely to have fewer. It
/// then repeats this with the part that remains. If the rows arrived at an even rate, two or three
/// guesses are enough. Counting may also read other workspaces' rows, so the search ends when it
/// has taken longer than skipping would.
final class DeepPage {

    /// The estimated time that it takes to skip one row.
    private static final Duration SKIP_TIME = Duration.ofNanos(50_000);

    private final PageLocation page;
    private final IdRange unit;
    private final long maxSkippedRows;
    private final ToLongFunction<List<SourceWindow>> rowCounter;
    private final LongSupplier nanos;

    /// The times between which the page begins, in milliseconds since 1970.
    private long low;

    private long high;

    /// The number of matching rows from `low` up to but not including `high`.
    private long rows;

    /// The number of these rows that come before the page.
    private long offset;

    /// @param unit the time unit in which the page begins; none of the page's windows is newer
    /// @param rows the number of matching rows in the unit
    /// @param maxSkippedRows the search ends once at most this many rows before the page remain
    /// @param rowCounter counts the matching rows in a list of windows; the list is never empty
    /// @param nanos a clock such as `System.nanoTime`
    DeepPage(
            PageLocation page,
            IdRange unit,
            long rows,
            long maxSkippedRows,
            ToLongFunction<List<SourceWindow>> rowCounter,
            LongSupplier nanos) {
        this.page = page;
        this.unit = unit;
        this.rows = rows;
        this.maxSkippedRows = maxSkippedRows;
        this.rowCounter = rowCounter;
        this.nanos = nanos;
        offset = page.offset();
        low = Uuid7.millisOf(unit.low());
        high = Uuid7.millisOf(unit.high()) + 1;
    }

    /// Returns a location whose windows leave out most of the rows before the page.
    PageLocation find() {
        long begunNanos = nanos.getAsLong();
        long maxNanos = offset * SKIP_TIME.toNanos();
        boolean isEven = true;
        while (offset > maxSkippedRows
                && high - low > 1
                && nanos.getAsLong() - begunNanos < maxNanos) {
            long before = high - low;
            divideAt(isEven ? interpolated() : (low + high) >>> 1);
            isEven = high - low <= before / 2;
        }
        return new PageLocation(
                SourceWindow.within(IdRange.ofMillis(0, high), page.windows()),
                offset,
                page.limit());
    }

    /// Estimates a time shortly before the page, assuming that the rows arrived at an even rate.
    private long interpolated() {
        double before = offset - maxSkippedRows / 2.0;
        return high - (long) ((high - low) * Math.min(1, before / rows));
    }

    /// Drops the rows on the side of `guess` that does not contain the start of the page.
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
        var parts = SourceWindow.within(range.intersect(unit), page.windows());
        return parts.isEmpty() ? 0 : rowCounter.applyAsLong(parts);
    }
}
