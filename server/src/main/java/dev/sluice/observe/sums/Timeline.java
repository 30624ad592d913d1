package dev.sluice.observe.sums;

import dev.sluice.observe.sums.Cover.Part;
import dev.sluice.observe.sums.Cover.Unit;
import dev.sluice.observe.sums.Sums.Bucket;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/// What is counted of a range, newest first, by its place in that order, at a cost that depends
/// neither on how many there are nor on how deep the place is.
///
/// The sums say in which of their smallest units a place lies, and which of these have any of what
/// is wanted; so rows themselves are read in the units of a page only, and counted in the two that
/// the range cuts. Belongs to one transaction, which must be a snapshot.
public final class Timeline {

    /// A stretch of time with so many in it.
    private sealed interface Stretch {
        long n();

        record Counted(List<Window> windows, long n) implements Stretch {}

        record Summed(Bucket bucket) implements Stretch {
            @Override
            public long n() {
                return bucket.n();
            }
        }
    }

    /// The stretches that a page lies in, newest first.
    ///
    /// @param offset of the page in the first of them
    private record Run(List<Stretch> stretches, long offset) {}

    private final Sums sums;
    private final UnaryOperator<UUID> sourceOf;
    private final ToLongFunction<List<Window>> counting;
    private final List<Stretch> all;

    /// @param sourceOf the source that a key of the sums belongs to
    /// @param counting counts the rows in windows; they are never none
    public Timeline(
            Sums sums,
            IdRange range,
            UnaryOperator<UUID> sourceOf,
            ToLongFunction<List<Window>> counting) {
        this.sums = sums;
        this.sourceOf = sourceOf;
        this.counting = counting;
        all =
                Cover.of(range, sums.smallest()).stream()
                        .flatMap(part -> stretches(part).stream())
                        .toList();
    }

    private List<Stretch> stretches(Part part) {
        return switch (part) {
            case Part.Whole(Unit unit, long from, long to) -> summed(unit, from, to);
            case Part.Edge(IdRange ids) -> {
                long from = Cover.floor(ids.firstMinute(), sums.smallest());
                var windows = windows(from, from + sums.smallest().minutes, ids);
                long n = windows.isEmpty() ? 0 : counting.applyAsLong(windows);
                yield n == 0 ? List.of() : List.of(new Stretch.Counted(windows, n));
            }
        };
    }

    private List<Stretch> summed(Unit unit, long from, long to) {
        return sums.buckets(unit, from, to).stream().<Stretch>map(Stretch.Summed::new).toList();
    }

    /// Exactly how many there are.
    public long total() {
        return all.stream().mapToLong(Stretch::n).sum();
    }

    /// The page's windows, and its place in them; its rows are looked for nowhere else.
    ///
    /// @param offset less than `total`
    public Place find(long offset, int limit) {
        var run = cut(new Run(all, offset), limit);
        run = cut(zoom(run, Unit.DAY, Unit.HOUR), limit);
        if (sums.smallest() == Unit.MINUTE) {
            run = cut(zoom(run, Unit.HOUR, Unit.MINUTE), limit);
        }
        var windows = new ArrayList<Window>();
        for (var stretch : run.stretches()) {
            if (stretch instanceof Stretch.Counted counted) {
                windows.addAll(counted.windows());
            }
        }
        var units = summed(run, sums.smallest());
        if (!units.isEmpty()) {
            long from = units.getLast().from();
            long to = units.getFirst().to();
            windows.addAll(windows(from, to, IdRange.ofMinutes(from, to)));
        }
        return new Place(windows, run.offset(), limit);
    }

    /// @param offset of the page in what the windows have
    public record Place(List<Window> windows, long offset, int limit) {}

    /// Leaves out what stands before and behind the page.
    private static Run cut(Run run, int limit) {
        var page = new ArrayList<Stretch>();
        long before = 0;
        long offset = 0;
        for (var stretch : run.stretches()) {
            long after = before + stretch.n();
            if (after > run.offset() && before < run.offset() + limit) {
                if (page.isEmpty()) {
                    offset = run.offset() - before;
                }
                page.add(stretch);
            }
            before = after;
        }
        return new Run(page, offset);
    }

    /// Puts smaller units into the place of larger ones, which stand beside each other.
    private Run zoom(Run run, Unit from, Unit to) {
        var larger = summed(run, from);
        if (larger.isEmpty()) {
            return run;
        }
        var smaller = summed(to, larger.getLast().from(), larger.getFirst().to());
        var stretches = new ArrayList<Stretch>();
        boolean isReplaced = false;
        for (var stretch : run.stretches()) {
            if (!isOf(stretch, from)) {
                stretches.add(stretch);
            } else if (!isReplaced) {
                stretches.addAll(smaller);
                isReplaced = true;
            }
        }
        return new Run(stretches, run.offset());
    }

    private static List<Bucket> summed(Run run, Unit unit) {
        return run.stretches().stream()
                .filter(stretch -> isOf(stretch, unit))
                .map(stretch -> ((Stretch.Summed) stretch).bucket())
                .toList();
    }

    private static boolean isOf(Stretch stretch, Unit unit) {
        return stretch instanceof Stretch.Summed(Bucket bucket) && bucket.unit() == unit;
    }

    /// Where there is something in these minutes: for each source the units that follow each other
    /// are one window.
    ///
    /// @param ids what of the minutes is meant
    private List<Window> windows(long from, long to, IdRange ids) {
        long length = sums.smallest().minutes;
        var windows = new ArrayList<Window>();
        presences(from, to)
                .forEach((source, units) -> {
                    long start = units.firstKey();
                    long end = start;
                    boolean isPure = true;
                    for (var unit : units.entrySet()) {
                        if (unit.getKey() != end) {
                            var part = IdRange.ofMinutes(start, end).and(ids);
                            windows.add(new Window(source, part, isPure));
                            start = unit.getKey();
                            isPure = true;
                        }
                        end = unit.getKey() + length;
                        isPure &= unit.getValue();
                    }
                    windows.add(new Window(source, IdRange.ofMinutes(start, end).and(ids), isPure));
                });
        return windows;
    }

    /// The units by source, each pure when it is so for every key of the source that has any.
    private Map<UUID, SortedMap<Long, Boolean>> presences(long from, long to) {
        Map<UUID, SortedMap<Long, Boolean>> bySource = new HashMap<>();
        for (var presence : sums.presences(from, to)) {
            var units =
                    bySource.computeIfAbsent(sourceOf.apply(presence.key()), _ -> new TreeMap<>());
            presence.units()
                    .forEach((since, isPure) -> units.merge(since, isPure, Boolean::logicalAnd));
        }
        return bySource;
    }
}
