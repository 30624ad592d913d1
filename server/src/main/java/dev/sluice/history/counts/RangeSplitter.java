package dev.sluice.history.counts;

import dev.sluice.platform.id.IdRange;

import java.util.ArrayList;
import java.util.List;

/// Splits a range of ids into whole days, hours and minutes, plus the partial units at its two
/// ends.
///
/// The usage tables contain counts for whole units. Rows in the partial units must be counted one
/// by one.
public final class RangeSplitter {

    /// A unit of time. Unit boundaries are given in minutes since 1970, in UTC.
    public enum BucketUnit {
        MINUTE(1),
        HOUR(60),
        DAY(1440);

        final long minutes;

        BucketUnit(long minutes) {
            this.minutes = minutes;
        }

        /// Returns the next smaller unit, or `MINUTE` if there is none.
        private BucketUnit smaller() {
            return this == DAY ? HOUR : MINUTE;
        }
    }

    /// One of the parts into which a range is split.
    public sealed interface RangePart {
        /// A part of one unit of the smallest size.
        record RangeEdge(IdRange ids) implements RangePart {}

        /// Whole units from minute `from` up to but not including minute `to`.
        record WholeUnits(BucketUnit unit, long from, long to) implements RangePart {}
    }

    private RangeSplitter() {}

    /// Returns the non-empty parts, newest first. The parts cover the range and do not overlap.
    ///
    /// @param smallest the smallest unit for which there are usage counts
    public static List<RangePart> split(IdRange range, BucketUnit smallest) {
        if (range.isEmpty()) {
            return List.of();
        }
        long from = ceil(range.firstWholeMinute(), smallest);
        long to = floor(range.lastMinute(), smallest);
        if (from > to) {
            return List.of(new RangePart.RangeEdge(range));
        }
        var whole = IdRange.ofMinutes(from, to);
        var parts = new ArrayList<RangePart>();
        addEdge(parts, new IdRange(whole.high(), range.high()));
        addWholeUnits(parts, BucketUnit.DAY, from, to);
        addEdge(parts, new IdRange(range.low(), whole.low()));
        return parts;
    }

    private static void addEdge(List<RangePart> parts, IdRange ids) {
        if (!ids.isEmpty()) {
            parts.add(new RangePart.RangeEdge(ids));
        }
    }

    /// Adds as many units of this size as fit, with smaller units before and after them. Both
    /// `from` and `to` are the start of a unit of the smallest size.
    private static void addWholeUnits(List<RangePart> parts, BucketUnit unit, long from, long to) {
        if (from >= to) {
            return;
        }
        long first = ceil(from, unit);
        long last = floor(to, unit);
        if (first < last) {
            addWholeUnits(parts, unit.smaller(), last, to);
            parts.add(new RangePart.WholeUnits(unit, first, last));
            addWholeUnits(parts, unit.smaller(), from, first);
        } else {
            addWholeUnits(parts, unit.smaller(), from, to);
        }
    }

    static long floor(long minute, BucketUnit unit) {
        return minute / unit.minutes * unit.minutes;
    }

    static long ceil(long minute, BucketUnit unit) {
        return floor(minute + unit.minutes - 1, unit);
    }
}
