package dev.sluice.features.recovery;

import dev.sluice.engine.EventId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.json.JsonObject;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The number of resends that a selection would create, or a lower bound if counting stopped early.
///
/// @param count the number of resends; a lower bound unless `isExact`
/// @param isExact whether the whole selection was counted
/// @param firstEvents the first events to resend, at most [#MAX_IMMEDIATE_RESENDS]
public record ResendEstimate(long count, boolean isExact, List<EventId> firstEvents) {

    public static final ResendEstimate EMPTY = new ResendEstimate(0, true, List.of());

    /// How long a request may spend counting resends. Typical client timeouts are longer.
    public static final Duration COUNT_TIMEOUT = Duration.ofSeconds(5);

    /// The maximum number of resends that are created while the request is handled. A larger
    /// selection becomes a job.
    private static final int MAX_IMMEDIATE_RESENDS = 2_000;

    /// The maximum number of events that the count reads in one transaction.
    private static final int COUNT_BATCH_EVENTS = 2_000;

    public ResendEstimate {
        firstEvents = List.copyOf(firstEvents);
    }

    /// Counts the resends that a selection would create. Counts in batches, each in a separate
    /// transaction, so that no transaction stays open for long. Stops after `budget`, but always
    /// counts the first batch.
    public static ResendEstimate of(Db db, ResendSelection selection, Duration budget) {
        return of(db, selection, budget, Long.MAX_VALUE);
    }

    /// Does the same as the other `of`, but also stops counting at `maxCount`.
    ///
    /// @param maxCount the count at which to stop; checked after each batch
    public static ResendEstimate of(
            Db db, ResendSelection selection, Duration budget, long maxCount) {
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

    /// Returns the reply to a dry run.
    public JsonObject dryRunJson() {
        return new JsonObject()
                .put("dry_run", true)
                .put("created", 0)
                .put("would_create", count)
                .put("is_exact", isExact);
    }

    /// Returns the reply to a request that creates these resends.
    public JsonObject createdJson() {
        return new JsonObject().put("created", count).put("is_exact", isExact);
    }

    public boolean isEmpty() {
        return isExact && count == 0;
    }

    /// Whether the request itself creates the resends. A selection that was not counted completely
    /// always becomes a job.
    public boolean isImmediate() {
        return isExact && count <= MAX_IMMEDIATE_RESENDS;
    }
}
