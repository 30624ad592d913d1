package dev.sluice.account.idempotency;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;

import java.time.InstantSource;

/// Deletes idempotency keys that are older than 24 hours.
public final class IdempotencyKeyPruner implements Loop.Step {

    private static final int CHUNK_ROWS = 1_000;

    private final Db db;
    private final InstantSource settledClock;

    /// @param settledClock the clock for decisions that cannot be undone
    public IdempotencyKeyPruner(Db db, InstantSource settledClock) {
        this.db = db;
        this.settledClock = settledClock;
    }

    /// Deletes up to 1,000 keys. Returns whether there may be more.
    @Override
    public boolean run() {
        var until = settledClock.instant().minus(IdempotencyKeys.RETENTION);
        return db.call(tx -> IdempotencyStore.deleteUntil(tx, until, CHUNK_ROWS)) == CHUNK_ROWS;
    }
}
