package dev.sluice.relay.replay;

import dev.sluice.platform.db.Db;
import dev.sluice.relay.EventId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a selection comes to.
///
/// @param count a least number, where it is not exact
/// @param isExact whether the selection was counted whole
/// @param first of its events, as many as are resent at once
record Plan(long count, boolean isExact, List<EventId> first) {

    static final Plan NOTHING = new Plan(0, true, List.of());

    /// How long a request counts. Clients are patient for longer than that.
    static final Duration BUDGET = Duration.ofSeconds(5);

    /// More than that are a job.
    private static final int MOST_AT_ONCE = 2_000;

    /// Events looked at in one transaction while they are counted.
    private static final int STRETCH = 2_000;

    Plan {
        first = List.copyOf(first);
    }

    /// Counts in stretches, each a transaction of its own, so that neither their number nor the
    /// time it takes holds anything back. The first stretch is counted whatever the budget.
    static Plan of(Db db, Selection selection, Duration budget) {
        long start = System.nanoTime();
        long count = 0;
        var first = new ArrayList<EventId>();
        for (var next = Optional.of(selection.after()); next.isPresent(); ) {
            if (!next.get().equals(selection.after())
                    && System.nanoTime() - start >= budget.toNanos()) {
                return new Plan(count, false, first);
            }
            var from = selection.from(next.get());
            var scan =
                    db.call(tx -> {
                        Chunk.prepare(tx);
                        return Scan.read(tx, from, STRETCH);
                    });
            for (var event : meant(db, from, scan.events())) {
                count++;
                if (first.size() < MOST_AT_ONCE) {
                    first.add(event);
                }
            }
            next = scan.next();
        }
        return new Plan(count, true, first);
    }

    private static List<EventId> meant(Db db, Selection selection, List<EventId> events) {
        return db
                .call(tx -> {
                    Chunk.prepare(tx);
                    return Candidate.of(tx, selection, events);
                })
                .stream()
                .filter(candidate ->
                        candidate.fate(selection.isOfSucceeded()) == Candidate.Fate.RESEND)
                .map(Candidate::event)
                .toList();
    }

    boolean isNothing() {
        return isExact && count == 0;
    }

    /// Whether the request itself makes the resends. What was not counted whole is a job, however
    /// few were found.
    boolean isMadeAtOnce() {
        return isExact && count <= MOST_AT_ONCE;
    }
}
