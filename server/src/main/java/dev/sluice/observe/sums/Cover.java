package dev.sluice.observe.sums;

import java.util.ArrayList;
import java.util.List;

/// A range of ids as whole days, hours and minutes, for which there are sums, and what is left over
/// at its two ends, which must be counted.
public final class Cover {

    /// Minutes are counted since 1970.
    public enum Unit {
        MINUTE(1),
        HOUR(60),
        DAY(1440);

        final long minutes;

        Unit(long minutes) {
            this.minutes = minutes;
        }

        /// A minute is its own.
        private Unit smaller() {
            return this == DAY ? HOUR : MINUTE;
        }
    }

    public sealed interface Part {
        /// Less than the smallest unit, and within one.
        record Edge(IdRange ids) implements Part {}

        /// Whole units, in minutes from `from` on, up to and without `to`.
        record Whole(Unit unit, long from, long to) implements Part {}
    }

    private Cover() {}

    /// Newest first, without empty ones. Together they are the range, and no two overlap.
    ///
    /// @param smallest unit for which there are sums
    public static List<Part> of(IdRange range, Unit smallest) {
        if (range.isEmpty()) {
            return List.of();
        }
        long from = ceil(range.firstWholeMinute(), smallest);
        long to = floor(range.lastMinute(), smallest);
        if (from > to) {
            return List.of(new Part.Edge(range));
        }
        var whole = IdRange.ofMinutes(from, to);
        var parts = new ArrayList<Part>();
        addEdge(parts, new IdRange(whole.high(), range.high()));
        addWhole(parts, Unit.DAY, from, to);
        addEdge(parts, new IdRange(range.low(), whole.low()));
        return parts;
    }

    private static void addEdge(List<Part> parts, IdRange ids) {
        if (!ids.isEmpty()) {
            parts.add(new Part.Edge(ids));
        }
    }

    /// As many of this unit as there are, between smaller ones.
    ///
    /// @param from at the beginning of a unit of the smallest kind, as is `to`
    private static void addWhole(List<Part> parts, Unit unit, long from, long to) {
        if (from >= to) {
            return;
        }
        long first = ceil(from, unit);
        long last = floor(to, unit);
        if (first < last) {
            addWhole(parts, unit.smaller(), last, to);
            parts.add(new Part.Whole(unit, first, last));
            addWhole(parts, unit.smaller(), from, first);
        } else {
            addWhole(parts, unit.smaller(), from, to);
        }
    }

    static long floor(long minute, Unit unit) {
        return minute / unit.minutes * unit.minutes;
    }

    static long ceil(long minute, Unit unit) {
        return floor(minute + unit.minutes - 1, unit);
    }
}
