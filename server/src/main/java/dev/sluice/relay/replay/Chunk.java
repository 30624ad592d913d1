package dev.sluice.relay.replay;

import dev.sluice.platform.db.Tx;
import dev.sluice.relay.EventId;
import dev.sluice.relay.store.ResendStore;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

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

    /// As `resend`, for a job: safe to repeat, also beside another who does the same.
    ///
    /// @param since when the job was made
    static Chunk resend(
            Tx tx,
            Selection selection,
            List<EventId> events,
            Instant since,
            InstantSource clock,
            UUID batch) {
        var locked = ResendStore.lock(tx, selection.source(), events);
        var candidates = Candidate.of(tx, selection, locked, since);
        return add(tx, selection, candidates, since, clock.instant(), batch);
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

    /// Of what a job did before it was cancelled; makes nothing.
    static Chunk count(Tx tx, Selection selection, List<EventId> events, Instant since) {
        int done = 0;
        for (var candidate : Candidate.of(tx, selection, events, since)) {
            if (candidate.fate(selection.isOfSucceeded()) == Candidate.Fate.DONE) {
                done++;
            }
        }
        return new Chunk(done, 0);
    }
}
