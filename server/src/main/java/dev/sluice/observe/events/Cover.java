package dev.sluice.observe.events;

import java.util.ArrayList;
import java.util.List;

/// A range of ids as whole days, hours and minutes, for which there are sums, and what is left over
/// at its two ends, which must be counted.
final class Cover {

    /// Minutes are counted since 1970.
    enum Unit {
        MINUTE(1),
        HOUR(60),
        DAY(1440);

        final long minutes;

        Unit(long minutes) {
            this.minutes = minutes;
        }
    }

    sealed interface Part {
        /// Less than a minute.
        record Edge(IdRange ids) implements Part {}

        /// Whole units, in minutes from `from` on, up to and without `to`.
        record Whole(Unit unit, long from, long to) implements Part {}
    }

    private Cover() {}

    /// Newest first, without empty ones. Together they are the range, and no two overlap.
    static List<Part> of(IdRange range) {
        if (range.isEmpty()) {
            return List.of();
        }
        long from = range.firstWholeMinute();
        long to = range.lastMinute();
        if (from > to) {
            return List.of(new Part.Edge(range));
        }
        var whole = IdRange.ofMinutes(from, to);
        var parts = new ArrayList<Part>();
        addEdge(parts, new IdRange(whole.high(), range.high()));
        addDays(parts, from, to);
        addEdge(parts, new IdRange(range.low(), whole.low()));
        return parts;
    }

    private static void addEdge(List<Part> parts, IdRange ids) {
        if (!ids.isEmpty()) {
            parts.add(new Part.Edge(ids));
        }
    }

    private static void addDays(List<Part> parts, long from, long to) {
        long first = ceil(from, Unit.DAY);
        long last = floor(to, Unit.DAY);
        if (first >= last) {
            addHours(parts, from, to);
            return;
        }
        addHours(parts, last, to);
        parts.add(new Part.Whole(Unit.DAY, first, last));
        addHours(parts, from, first);
    }

    private static void addHours(List<Part> parts, long from, long to) {
        long first = ceil(from, Unit.HOUR);
        long last = floor(to, Unit.HOUR);
        if (first >= last) {
            addMinutes(parts, from, to);
            return;
        }
        addMinutes(parts, last, to);
        parts.add(new Part.Whole(Unit.HOUR, first, last));
        addMinutes(parts, from, first);
    }

    private static void addMinutes(List<Part> parts, long from, long to) {
        if (from < to) {
            parts.add(new Part.Whole(Unit.MINUTE, from, to));
        }
    }

    static long floor(long minute, Unit unit) {
        return minute / unit.minutes * unit.minutes;
    }

    private static long ceil(long minute, Unit unit) {
        return floor(minute + unit.minutes - 1, unit);
    }
}
