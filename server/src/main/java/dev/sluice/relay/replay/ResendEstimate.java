package dev.sluice.relay.replay;

import dev.sluice.platform.db.Db;
import dev.sluice.relay.EventId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The number of resends that a selection would create, or a lower bound if counting took too long.
///
/// @param count number of resends; a lower bound unless `isExact`
/// @param isExact whether the whole selection was counted
/// @param firstEvents the first events to resend, up to the number that a request may resend itself
record ResendEstimate(long count, boolean isExact, List<EventId> firstEvents) {

    static final ResendEstimate EMPTY = new ResendEstimate(0, true, List.of());

    /// How long a request may count. Client timeouts are longer.
    static final Duration COUNT_TIMEOUT = Duration.ofSeconds(5);

    /// Maximum number of resends that a request creates itself. More than this become a job.
    private static final int MAX_IMMEDIATE_RESENDS = 2_000;

    /// Maximum number of events that one transaction of the count reads.
    private static final int COUNT_BATCH_EVENTS = 2_000;

    ResendEstimate {
        firstEvents = List.copyOf(firstEvents);
    }

    /// Counts in batches, each in its own transaction, so that a long count blocks nothing. Always
    /// counts the first batch, however small `budget` is.
    static ResendEstimate of(Db db, ResendSelection selection, Duration budget) {
        return of(db, selection, budget, Long.MAX_VALUE);
    }

    /// @param maxCount the count at which to stop counting
    static ResendEstimate of(Db db, ResendSelection selection, Duration budget, long maxCount) {
        long start = System.nanoTime();
        long count = 0;
        var first = new ArrayList<EventId>();
        for (var next = Optional.of(selection.after()); next.isPresent(); ) {
            if (!next.get().equals(selection.after())
                    && (count >= maxCount || System.nanoTime() - start >= budget.toNanos())) {
                return new ResendEstimate(count, false, first);
            }
            var from = selection.startingAfter(next.get());
            var page =
                    db.call(tx -> {
                        SelectionQueries.forceIndexScan(tx);
                        return SelectionQueries.page(tx, from, COUNT_BATCH_EVENTS);
                    });
            for (var event : toResend(db, from, page.events())) {
                count++;
                if (first.size() < MAX_IMMEDIATE_RESENDS) {
                    first.add(event);
                }
            }
            next = page.next();
        }
        return new ResendEstimate(count, true, first);
    }

    private static List<EventId> toResend(Db db, ResendSelection selection, List<EventId> events) {
        return db
                .call(tx -> {
                    SelectionQueries.forceIndexScan(tx);
                    return SelectionQueries.candidates(tx, selection, events);
                })
                .stream()
                .filter(candidate ->
                        candidate.decide(selection.includesSucceeded())
                                == ResendCandidate.ResendDecision.RESEND)
                .map(ResendCandidate::event)
                .toList();
    }

    boolean isEmpty() {
        return isExact && count == 0;
    }

    /// Whether the request itself creates the resends. A selection that was not counted completely
    /// always becomes a job.
    boolean isImmediate() {
        return isExact && count <= MAX_IMMEDIATE_RESENDS;
    }
}
