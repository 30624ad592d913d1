package dev.sluice.engine.ledger;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.DbFailure;
import dev.sluice.platform.db.Halving;
import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Set;
import java.util.function.LongSupplier;

/// Folds the usage ledger: adds its new rows to the usage sums and deletes the rows. Every node
/// runs this loop, and concurrent rounds on different nodes wait for each other.
///
/// While an old transaction is open, folded rows cannot be vacuumed and each round reads all of
/// them again. After each round, the folder therefore pauses for 100 times as long as the round
/// took, up to 30 s. Meanwhile, readers of the sums also add up the rows that have not been folded
/// yet.
public final class LedgerFolder implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(LedgerFolder.class);

    /// The maximum number of batches folded in a round that folds them in parts.
    private static final int MAX_BATCHES_APART = 4_096;

    private static final int BACKOFF_FACTOR = 100;
    private static final Duration MAX_BACKOFF = Duration.ofSeconds(30);

    private final Db db;
    private final LongSupplier nanos;
    private long pausedUntilNanos;

    /// The batches that the last call to [#foldApart] could not fold.
    private Set<LedgerStore.BatchKey> failedBefore = Set.of();

    /// @param nanos this process's monotonic clock
    public LedgerFolder(Db db, LongSupplier nanos) {
        this.db = db;
        this.nanos = nanos;
        pausedUntilNanos = nanos.getAsLong();
    }

    @Override
    public boolean run() {
        long began = nanos.getAsLong();
        if (began - pausedUntilNanos >= 0) {
            fold();
            long ended = nanos.getAsLong();
            pausedUntilNanos =
                    ended + Math.min(BACKOFF_FACTOR * (ended - began), MAX_BACKOFF.toNanos());
        }
        return false;
    }

    private void fold() {
        try {
            db.call(LedgerStore::fold);
        } catch (DbException e) {
            if (e.failure().isPassing()) {
                throw e;
            }
            foldApart();
        }
    }

    /// Folds the batches in smaller and smaller parts, because at least one batch cannot be folded.
    /// Discards a batch's row if it is damaged and the previous call could not fold it either,
    /// because every query that adds up the ledger fails as long as the row exists. The audit later
    /// reports that the counts do not match.
    private void foldApart() {
        var failed =
                Halving.run(
                        db.call(tx -> LedgerStore.batches(tx, MAX_BATCHES_APART)),
                        part -> db.call(tx -> LedgerStore.fold(tx, part)));
        failed.forEach((batch, e) -> {
            boolean isDamaged =
                    e instanceof DbException refused && refused.failure() == DbFailure.DAMAGED;
            boolean isDiscarded = isDamaged && failedBefore.contains(batch);
            log.atError()
                    .addKeyValue("batch", batch.batch())
                    .addKeyValue("discarded", isDiscarded)
                    .setCause(e)
                    .log("ledger.fold_failed");
            if (isDiscarded) {
                db.run(tx -> LedgerStore.discard(tx, batch));
            }
        });
        failedBefore = Set.copyOf(failed.keySet());
    }
}
