package dev.sluice.engine.ledger;

import dev.sluice.account.plan.Retention;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;

/// Keeps the table `commit_log` short. Each batch's row is kept for several minutes. After that,
/// each round replaces about one minute's rows with a single row, which is kept until the events
/// themselves have expired.
///
/// If a batch has failures that the alerts have not read yet, its row is left unchanged for up to a
/// day.
///
/// Every node runs this loop, and rounds on different nodes may overlap.
public final class CommitLogCompactor implements Loop.Step {

    public static final Duration ROUND_INTERVAL = Duration.ofMinutes(1);

    /// The number of rounds for which a batch's row is kept. A reader of outcomes that was
    /// interrupted can resume within this time.
    private static final int KEPT_ROUNDS = 15;

    /// How much longer the compacted rows are kept than the events themselves.
    private static final Duration EXTRA_RETENTION = Duration.ofDays(1);

    /// The maximum time for which unread failures are kept for the alerts.
    private static final Duration MAX_WATCH_DELAY = Duration.ofDays(1);

    private static final Logger log = LoggerFactory.getLogger(CommitLogCompactor.class);

    private final Db db;
    private final Retention retention;
    private final InstantSource clock;

    /// For each of the last rounds, the id of the oldest transaction that was running at the time.
    /// The newest round is last.
    private final Deque<Long> oldestRunning = new ArrayDeque<>();

    /// @param retention the longest retention that any plan has
    /// @param clock the clock for decisions that cannot be undone
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
            int kept =
                    db.call(tx -> {
                        CommitLogStore.compactBefore(tx, xid, now, now.minus(MAX_WATCH_DELAY));
                        return CommitLogStore.uncompactedFailures(tx, xid);
                    });
            if (kept > 0) {
                log.atWarn().addKeyValue("batches", kept).log("alert.watch_delayed");
            }
            var expired = retention.expiryCutoff(now).minus(EXTRA_RETENTION);
            db.run(tx -> CommitLogStore.deleteBefore(tx, expired));
        }
        return false;
    }
}
