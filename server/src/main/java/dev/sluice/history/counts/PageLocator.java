package dev.sluice.history.counts;

import dev.sluice.history.counts.RangeSplitter.BucketUnit;
import dev.sluice.history.counts.RangeSplitter.RangePart;
import dev.sluice.history.counts.UsageQueries.UsageBucket;
import dev.sluice.platform.id.IdRange;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/// Uses the usage counts to locate the rows of one page in a long list that is sorted newest first.
///
/// The usage counts show which days, hours and minutes a page covers, and which sources have
/// matching rows in them. The query therefore reads rows only from these time units, and skips only
/// the rows before the page in the unit in which the page begins. Rows are counted one by one only
/// in the two units at the ends of the range, if the range covers only part of them.
///
/// Each instance belongs to one transaction. The caller must start the transaction with
/// [dev.sluice.platform.db.Db#snapshot], so that all queries see the same data.
public final class PageLocator {

    /// A segment of time and the number of matching rows in it.
    private sealed interface TimeSegment {
        long n();

        /// Part of a time unit, whose rows were counted one by one.
        record RowCountedSegment(List<SourceWindow> windows, long n) implements TimeSegment {}

        /// A whole time unit, whose count comes from the usage counts.
        record BucketSegment(UsageBucket bucket) implements TimeSegment {
            @Override
            public long n() {
                return bucket.n();
            }
        }
    }

    /// The segments that a page covers, newest first.
    ///
    /// @param offset the page's offset from the start of the first segment
    private record PageSegments(List<TimeSegment> segments, long offset) {}

    private final UsageSum usage;
    private final IdRange range;
    private final UnaryOperator<UUID> sourceOf;
    private final ToLongFunction<List<SourceWindow>> rowCounter;
    private @Nullable List<TimeSegment> segments;

    /// @param sourceOf maps a key of the usage counts, which is a source or a connection, to its
    ///   source
    /// @param rowCounter counts the matching rows in a list of windows; the list is never empty
    public PageLocator(
            UsageSum usage,
            IdRange range,
            UnaryOperator<UUID> sourceOf,
            ToLongFunction<List<SourceWindow>> rowCounter) {
        this.usage = usage;
        this.range = range;
        this.sourceOf = sourceOf;
        this.rowCounter = rowCounter;
    }

    private List<TimeSegment> segments() {
        if (segments == null) {
            segments =
                    RangeSplitter.split(range, usage.smallestUnit()).stream()
                            .flatMap(part -> segmentsOf(part).stream())
                            .toList();
        }
        return segments;
    }

    private List<TimeSegment> segmentsOf(RangePart part) {
        return switch (part) {
            case RangePart.WholeUnits(BucketUnit unit, long from, long to) ->
                    summed(unit, from, to);
            case RangePart.RangeEdge(IdRange ids) -> {
                var windows = edgeWindows(ids);
                long n = windows.isEmpty() ? 0 : rowCounter.applyAsLong(windows);
                yield n == 0 ? List.of() : List.of(new TimeSegment.RowCountedSegment(windows, n));
            }
        };
    }

    /// Returns the windows within `ids` that have matching rows.
    ///
    /// @param ids a part of one unit
    private List<SourceWindow> edgeWindows(IdRange ids) {
        long from = RangeSplitter.floor(ids.firstMinute(), usage.smallestUnit());
        return windows(from, from + usage.smallestUnit().minutes, ids);
    }

    private List<TimeSegment> summed(BucketUnit unit, long from, long to) {
        return usage.buckets(unit, from, to).stream()
                .<TimeSegment>map(TimeSegment.BucketSegment::new)
                .toList();
    }

    /// Returns the exact number of matching rows in the range.
    public long total() {
        return segments().stream().mapToLong(TimeSegment::n).sum();
    }

    /// Returns the windows that contain the page, and the page's offset within them. None of the
    /// page's rows are outside these windows.
    ///
    /// @param offset less than [#total]
    public PageLocation locate(long offset, int limit) {
        var pageSegments = refineToPage(new PageSegments(segments(), offset), limit);
        var windows = new ArrayList<SourceWindow>();
        for (var segment : pageSegments.segments()) {
            if (segment instanceof TimeSegment.RowCountedSegment counted) {
                windows.addAll(counted.windows());
            }
        }
        windows.addAll(windowsOfUnits(pageSegments));
        return new PageLocation(windows, pageSegments.offset(), limit);
    }

    /// Returns windows that contain the newest `limit` matching rows whose ids are less than
    /// `before`, or all such rows if there are fewer. Does not count any rows.
    public PageLocation locateBefore(UUID before, int limit) {
        var older = range.intersect(new IdRange(range.low(), before));
        if (older.isEmpty()) {
            return new PageLocation(List.of(), 0, limit);
        }
        long unitStart = RangeSplitter.floor(older.lastMinute(), usage.smallestUnit());
        var cutUnit = older.intersect(IdRange.ofMinutes(unitStart, older.lastMinute() + 1));
        var windows = new ArrayList<SourceWindow>();
        if (!cutUnit.isEmpty()) {
            windows.addAll(edgeWindows(cutUnit));
        }
        var wholeUnits = new ArrayList<TimeSegment>();
        long n = 0;
        for (var part : RangeSplitter.split(olderUnits(older, unitStart), usage.smallestUnit())) {
            if (n >= limit) {
                break;
            }
            switch (part) {
                case RangePart.WholeUnits(BucketUnit unit, long from, long to) -> {
                    var summed = summed(unit, from, to);
                    wholeUnits.addAll(summed);
                    n += summed.stream().mapToLong(TimeSegment::n).sum();
                }
                case RangePart.RangeEdge(IdRange ids) -> windows.addAll(edgeWindows(ids));
            }
        }
        windows.addAll(windowsOfUnits(refineToPage(new PageSegments(wholeUnits, 0), limit)));
        return new PageLocation(windows, 0, limit);
    }

    private static IdRange olderUnits(IdRange range, long unitStart) {
        return range.intersect(
                new IdRange(range.low(), IdRange.ofMinutes(unitStart, unitStart).high()));
    }

    private PageSegments refineToPage(PageSegments all, int limit) {
        var pageSegments = trimToPage(all, limit);
        pageSegments = trimToPage(refine(pageSegments, BucketUnit.DAY, BucketUnit.HOUR), limit);
        return usage.smallestUnit() == BucketUnit.MINUTE
                ? trimToPage(refine(pageSegments, BucketUnit.HOUR, BucketUnit.MINUTE), limit)
                : pageSegments;
    }

    private List<SourceWindow> windowsOfUnits(PageSegments pageSegments) {
        var units = summed(pageSegments, usage.smallestUnit());
        if (units.isEmpty()) {
            return List.of();
        }
        long from = units.getLast().from();
        long to = units.getFirst().to();
        return windows(from, to, IdRange.ofMinutes(from, to));
    }

    /// The windows that contain a page.
    ///
    /// @param offset the page's offset among the matching rows in the windows, newest first
    public record PageLocation(List<SourceWindow> windows, long offset, int limit) {}

    /// Returns the segments without those that come before or after the page.
    private static PageSegments trimToPage(PageSegments pageSegments, int limit) {
        var page = new ArrayList<TimeSegment>();
        long before = 0;
        long offset = 0;
        for (var segment : pageSegments.segments()) {
            long after = before + segment.n();
            if (after > pageSegments.offset() && before < pageSegments.offset() + limit) {
                if (page.isEmpty()) {
                    offset = pageSegments.offset() - before;
                }
                page.add(segment);
            }
            before = after;
        }
        return new PageSegments(page, offset);
    }

    /// Returns the segments after replacing those of unit `from` with segments of the smaller unit
    /// `to`. The replaced segments must be adjacent.
    private PageSegments refine(PageSegments pageSegments, BucketUnit from, BucketUnit to) {
        var larger = summed(pageSegments, from);
        if (larger.isEmpty()) {
            return pageSegments;
        }
        var smaller = summed(to, larger.getLast().from(), larger.getFirst().to());
        var refined = new ArrayList<TimeSegment>();
        boolean isReplaced = false;
        for (var segment : pageSegments.segments()) {
            if (!isOf(segment, from)) {
                refined.add(segment);
            } else if (!isReplaced) {
                refined.addAll(smaller);
                isReplaced = true;
            }
        }
        return new PageSegments(refined, pageSegments.offset());
    }

    private static List<UsageBucket> summed(PageSegments pageSegments, BucketUnit unit) {
        return pageSegments.segments().stream()
                .filter(segment -> isOf(segment, unit))
                .map(segment -> ((TimeSegment.BucketSegment) segment).bucket())
                .toList();
    }

    private static boolean isOf(TimeSegment segment, BucketUnit unit) {
        return segment instanceof TimeSegment.BucketSegment(UsageBucket bucket)
                && bucket.unit() == unit;
    }

    /// Returns, for each source, the windows that contain matching rows from minute `from` up to
    /// but not including minute `to`. A source's adjacent units form one window.
    ///
    /// @param ids the id range to which the windows are limited
    private List<SourceWindow> windows(long from, long to, IdRange ids) {
        long length = usage.smallestUnit().minutes;
        var windows = new ArrayList<SourceWindow>();
        activeUnits(from, to)
                .forEach((source, units) -> {
                    long start = units.firstKey();
                    long end = start;
                    boolean isPure = true;
                    for (var unit : units.entrySet()) {
                        if (unit.getKey() != end) {
                            var part = IdRange.ofMinutes(start, end).intersect(ids);
                            windows.add(new SourceWindow(source, part, isPure));
                            start = unit.getKey();
                            isPure = true;
                        }
                        end = unit.getKey() + length;
                        isPure &= unit.getValue();
                    }
                    windows.add(
                            new SourceWindow(
                                    source, IdRange.ofMinutes(start, end).intersect(ids), isPure));
                });
        return windows;
    }

    /// Returns, for each source, the time units that have matching rows. Each map goes from a
    /// unit's first minute to whether the unit is pure. In a pure unit, all rows of every usage key
    /// that has matching rows match.
    private Map<UUID, SortedMap<Long, Boolean>> activeUnits(long from, long to) {
        Map<UUID, SortedMap<Long, Boolean>> bySource = new HashMap<>();
        for (var presence : usage.activeUnits(from, to)) {
            var units =
                    bySource.computeIfAbsent(sourceOf.apply(presence.key()), _ -> new TreeMap<>());
            presence.units()
                    .forEach((since, isPure) -> units.merge(since, isPure, Boolean::logicalAnd));
        }
        return bySource;
    }
}
