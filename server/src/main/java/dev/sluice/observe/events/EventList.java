package dev.sluice.observe.events;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.events.Cover.Part;
import dev.sluice.observe.events.Cover.Unit;
import dev.sluice.observe.events.EventQueries.Window;
import dev.sluice.observe.events.EventSums.Bucket;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.Verification;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The events of a range, newest first, by their place in that order, at a cost that depends
/// neither on how many there are nor on how deep the place is.
///
/// The sums say in which minute a place lies, and which minutes have any of the events that are
/// wanted; so events themselves are read in the minutes of a page only, and counted in the two
/// minutes that the range cuts. Belongs to one transaction, which must be a snapshot.
final class EventList {

    /// A stretch of time with so many of the events.
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

    private final Tx tx;
    private final EventSums sums;
    private final Optional<Verification> verification;
    private final List<Stretch> all;

    EventList(Tx tx, List<SourceId> sources, Optional<Verification> verification, IdRange range) {
        this.tx = tx;
        this.verification = verification;
        sums = new EventSums(tx, sources, verification);
        all = Cover.of(range).stream().flatMap(part -> stretches(part).stream()).toList();
    }

    private List<Stretch> stretches(Part part) {
        return switch (part) {
            case Part.Whole(Unit unit, long from, long to) -> summed(unit, from, to);
            case Part.Edge(IdRange ids) -> {
                long minute = ids.firstMinute();
                var windows = windows(minute, minute + 1, ids);
                long n = EventQueries.count(tx, windows, verification);
                yield n == 0 ? List.of() : List.of(new Stretch.Counted(windows, n));
            }
        };
    }

    private List<Stretch> summed(Unit unit, long from, long to) {
        return sums.buckets(unit, from, to).stream().<Stretch>map(Stretch.Summed::new).toList();
    }

    /// Exactly how many there are.
    long total() {
        return all.stream().mapToLong(Stretch::n).sum();
    }

    /// The page's windows, and its place in them; its events are looked for nowhere else.
    ///
    /// @param offset less than `total`
    Place find(long offset, int limit) {
        var run = cut(new Run(all, offset), limit);
        run = cut(zoom(run, Unit.DAY, Unit.HOUR), limit);
        run = cut(zoom(run, Unit.HOUR, Unit.MINUTE), limit);
        var windows = new ArrayList<Window>();
        for (var stretch : run.stretches()) {
            if (stretch instanceof Stretch.Counted counted) {
                windows.addAll(counted.windows());
            }
        }
        var minutes = summed(run, Unit.MINUTE);
        if (!minutes.isEmpty()) {
            long from = minutes.getLast().from();
            long to = minutes.getFirst().to();
            windows.addAll(windows(from, to, IdRange.ofMinutes(from, to)));
        }
        return new Place(windows, run.offset(), limit);
    }

    /// @param offset of the page in the windows' events
    record Place(List<Window> windows, long offset, int limit) {}

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

    /// Where events of these minutes stand: for each source the minutes that follow each other are
    /// one window.
    ///
    /// @param ids what of the minutes is meant
    private List<Window> windows(long from, long to, IdRange ids) {
        var windows = new ArrayList<Window>();
        for (var presence : sums.presences(from, to)) {
            long start = -1;
            long end = -1;
            boolean isPure = true;
            for (var minute : presence.minutes().entrySet()) {
                if (minute.getKey() != end) {
                    if (start >= 0) {
                        var part = IdRange.ofMinutes(start, end).and(ids);
                        windows.add(new Window(presence.source(), part, isPure));
                    }
                    start = minute.getKey();
                    isPure = true;
                }
                end = minute.getKey() + 1;
                isPure &= minute.getValue();
            }
            windows.add(
                    new Window(presence.source(), IdRange.ofMinutes(start, end).and(ids), isPure));
        }
        return windows;
    }
}
