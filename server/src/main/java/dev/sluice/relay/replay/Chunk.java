package dev.sluice.relay.replay;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.EventId;
import dev.sluice.relay.store.ResendStore;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/// What one transaction of a bulk resend came to.
///
/// @param created resends, those of an earlier try of the same chunk included
/// @param skipped events that somebody else resent meanwhile, or that have no ordinal left
record Chunk(int created, int skipped) {

    /// First of each transaction that looks at many events: their tables' statistics are out of
    /// date, and all that is asked for stands in indexes.
    static void prepare(Tx tx) {
        tx.update("set local enable_seqscan = off");
        tx.update("set local jit = off");
    }

    /// Resends those of these events that the selection means, as they stand now.
    static Chunk resend(
            Tx tx, Selection selection, List<EventId> events, InstantSource clock, UUID batch) {
        var locked = ResendStore.lock(tx, selection.source(), events);
        var now = clock.instant();
        return add(tx, selection, Candidate.of(tx, selection, locked), now, now, batch);
    }

    /// As `resend`, for a job: safe to repeat, also beside another who does the same. Empty, and
    /// nothing is made, when the job is held no more once the events are locked: another may have
    /// counted already what it made.
    ///
    /// @param selection of the job, or a later part of it
    static Optional<Chunk> resend(
            Tx tx,
            Held job,
            Selection selection,
            List<EventId> events,
            BooleanSupplier isHeld,
            InstantSource clock,
            UUID batch) {
        var locked = ResendStore.lock(tx, selection.source(), events);
        if (!isHeld.getAsBoolean()) {
            return Optional.empty();
        }
        var since = job.replay().createdAt();
        var candidates = Candidate.of(tx, selection, locked, since, job.beside());
        return Optional.of(add(tx, selection, candidates, since, clock.instant(), batch));
    }

    private static Chunk add(
            Tx tx,
            Selection selection,
            List<Candidate> candidates,
            Instant createdAt,
            Instant dueAt,
            UUID batch) {
        int done = 0;
        int skipped = 0;
        var resends = new ArrayList<ResendStore.Resend>();
        for (var candidate : candidates) {
            switch (candidate.fate(selection.isOfSucceeded())) {
                case RESEND ->
                        resends.add(
                                new ResendStore.Resend(candidate.event(), selection.connection()));
                case DONE -> done++;
                case SKIPPED -> skipped++;
                case OTHER -> {}
            }
        }
        int full = ResendStore.add(tx, selection.source(), resends, createdAt, dueAt, batch).size();
        return new Chunk(done + resends.size() - full, skipped + full);
    }

    /// How many of the events where a job stopped it resent; makes nothing. Waits for who still
    /// makes that chunk, and has its events locked.
    ///
    /// @param most events of a chunk
    static int count(Db db, Replay replay, int most) {
        int seen = 0;
        int done = 0;
        for (var next = Optional.of(replay.selection().after());
                next.isPresent() && seen < most; ) {
            var from = replay.selection().from(next.get());
            var scan =
                    db.call(tx -> {
                        prepare(tx);
                        return Scan.read(tx, from, most);
                    });
            done +=
                    db.call(tx -> {
                        prepare(tx);
                        return count(tx, from, scan.events(), replay.createdAt());
                    });
            seen += scan.events().size();
            next = scan.next();
        }
        return done;
    }

    private static int count(Tx tx, Selection selection, List<EventId> events, Instant since) {
        var locked = ResendStore.lock(tx, selection.source(), events);
        return (int)
                Candidate.of(tx, selection, locked, since, List.of()).stream()
                        .filter(Candidate::isDone)
                        .count();
    }
}
