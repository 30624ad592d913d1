package dev.sluice.account.changes;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;

import java.time.Duration;
import java.time.InstantSource;

/// Deletes audit log entries that are older than 400 days.
public final class AuditLogTrimmer implements Loop.Step {

    /// How long an entry is kept: more than a year, so that every entry is covered by a yearly
    /// review.
    static final Duration RETENTION = Duration.ofDays(400);

    private static final int CHUNK_ROWS = 1_000;

    private final Db db;
    private final InstantSource settledClock;

    /// @param settledClock the clock for decisions that cannot be undone
    public AuditLogTrimmer(Db db, InstantSource settledClock) {
        this.db = db;
        this.settledClock = settledClock;
    }

    /// Deletes up to 1,000 entries. Returns true if there may be more.
    @Override
    public boolean run() {
        var before = settledClock.instant().minus(RETENTION);
        return db.call(tx -> AuditLogStore.deleteBefore(tx, before, CHUNK_ROWS)) == CHUNK_ROWS;
    }
}
