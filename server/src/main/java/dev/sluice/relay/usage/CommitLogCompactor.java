package dev.sluice.relay.usage;

import dev.sluice.account.plan.Retention;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;

/// Keeps the log of commits short: rows of single batches for some minutes, then one row for each
/// minute, until the events themselves expire.
///
/// Every node runs it. Rounds of two nodes do not disturb each other.
public final class CommitLogCompactor implements Loop.Step {

    public static final Duration ROUND_INTERVAL = Duration.ofMinutes(1);

    /// How many rounds the row of a batch is kept. Outcomes can be resumed for so long.
    private static final int KEPT_ROUNDS = 15;

    /// How much longer than the events the log is kept.
    private static final Duration EXTRA_RETENTION = Duration.ofDays(1);

    private final Db db;
    private final Retention retention;
    private final InstantSource clock;

    /// The oldest transaction that ran in each of the last rounds, the newest last.
    private final Deque<Long> oldestRunning = new ArrayDeque<>();

    /// @param retention the longest of all plans
    /// @param clock the settled clock
    public CommitLogCompactor(Db db, Retention retention, InstantSource clock) {
        this.db = db;
        this.retention = retention;
        this.clock = clock;
    }

    @Override
    public boolean run() {
        oldestRunning.addLast(db.call(CommitLogStore::oldestRunning));
        if (oldestRunning.size() > KEPT_ROUNDS) {
            long xid = oldestRunning.removeFirst();
            Instant now = clock.instant();
            db.run(tx -> {
                CommitLogStore.compactBefore(tx, xid, now);
                CommitLogStore.deleteBefore(tx, retention.expiryCutoff(now).minus(EXTRA_RETENTION));
            });
        }
        return false;
    }
}
