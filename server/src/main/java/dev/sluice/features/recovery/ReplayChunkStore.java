package dev.sluice.features.recovery;

import dev.sluice.engine.EventId;
import dev.sluice.engine.commit.ResendStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/// Creates the resends for one chunk in one transaction. Also counts the resends that an earlier
/// try of the chunk created.
final class ReplayChunkStore {

    private ReplayChunkStore() {}

    /// Resends the given events, except those whose current state no longer matches the selection.
    static ReplayChunk resend(
            Tx tx,
            ResendSelection selection,
            List<EventId> events,
            InstantSource clock,
            UUID batch) {
        var locked = ResendStore.lockEvents(tx, selection.source(), events);
        var now = clock.instant();
        return add(
                tx,
                selection,
                SelectionQueries.candidates(tx, selection, locked),
                Integer.MAX_VALUE,
                now,
                now,
                batch);
    }

    /// Resends one chunk of a job. The call is safe to repeat, even while another process makes the
    /// same call.
    ///
    /// Returns empty and creates nothing if the lease has expired by the time the events are
    /// locked, because another process may already have counted the chunk.
    ///
    /// @param selection the part of the job's selection that is still to be processed
    /// @param maxCreated the maximum number of resends, including any that an earlier try of the
    ///   chunk created
    /// @param isLeased whether this process still holds the job's lease
    static Optional<ReplayChunk> resend(
            Tx tx,
            LeasedJob job,
            ResendSelection selection,
            List<EventId> events,
            int maxCreated,
            BooleanSupplier isLeased,
            InstantSource clock,
            UUID batch) {
        var locked = ResendStore.lockEvents(tx, selection.source(), events);
        if (!isLeased.getAsBoolean()) {
            return Optional.empty();
        }
        var since = job.replay().createdAt();
        var candidates =
                SelectionQueries.candidates(
                        tx, selection, locked, since, job.overlappingJobTimes());
        return Optional.of(
                add(tx, selection, candidates, maxCreated, since, clock.instant(), batch));
    }

    /// Resends events until the chunk ends or has `maxCreated` resends. Resends that an earlier try
    /// of the chunk created are counted first, so that a repeated chunk does not exceed the
    /// maximum. The chunk does not end before the last event that the earlier try resent.
    private static ReplayChunk add(
            Tx tx,
            ResendSelection selection,
            List<ResendCandidate> candidates,
            int maxCreated,
            Instant createdAt,
            Instant dueAt,
            UUID batch) {
        int done = (int) candidates.stream().filter(ResendCandidate::isResentByJob).count();
        int doneSoFar = 0;
        int skipped = 0;
        Optional<EventId> last = Optional.empty();
        var resends = new ArrayList<ResendStore.EventResend>();
        for (var candidate : candidates) {
            boolean isFull = done + resends.size() >= maxCreated;
            if (isFull && doneSoFar == done) {
                break;
            }
            switch (candidate.decide(selection.includesSucceeded())) {
                case RESEND -> {
                    if (!isFull) {
                        resends.add(
                                new ResendStore.EventResend(
                                        candidate.event(), selection.connection()));
                    }
                }
                case ALREADY_RESENT_BY_JOB -> doneSoFar++;
                case RESENT_BY_OTHER -> skipped++;
                case NOT_SELECTED -> {}
            }
            last = Optional.of(candidate.event());
        }
        boolean isToEnd =
                candidates.isEmpty() || last.equals(Optional.of(candidates.getLast().event()));
        int unnumbered =
                ResendStore.add(tx, selection.source(), resends, createdAt, dueAt, batch).size();
        return new ReplayChunk(
                done + resends.size() - unnumbered,
                skipped + unnumbered,
                isToEnd ? Optional.empty() : last);
    }

    /// Returns how many resends the job has already created in the chunk at its current position.
    /// The job's progress does not include these resends yet. Creates no resends. If another
    /// process has locked the chunk's events, waits until that process releases them.
    ///
    /// @param maxEvents the maximum number of events in a chunk
    static int countResent(Db db, Replay replay, int maxEvents) {
        int seen = 0;
        int done = 0;
        for (var next = Optional.of(replay.selection().after());
                next.isPresent() && seen < maxEvents; ) {
            var from = replay.selection().startingAfter(next.get());
            var page =
                    db.call(tx -> {
                        SelectionQueries.forceIndexScan(tx);
                        return SelectionQueries.page(tx, from, maxEvents);
                    });
            done +=
                    db.call(tx -> {
                        SelectionQueries.forceIndexScan(tx);
                        return countResent(tx, from, page.events(), replay.createdAt());
                    });
            seen += page.events().size();
            next = page.next();
        }
        return done;
    }

    private static int countResent(
            Tx tx, ResendSelection selection, List<EventId> events, Instant since) {
        var locked = ResendStore.lockEvents(tx, selection.source(), events);
        return (int)
                SelectionQueries.candidates(tx, selection, locked, since, List.of()).stream()
                        .filter(ResendCandidate::isResentByJob)
                        .count();
    }
}
