package dev.sluice.features.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.engine.ExpiryListener;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.commit.ResultListener;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.db.SingletonLeaseStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Pause;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;

/// The loop that enforces retention, once an hour and on one node at a time. It announces
/// deliveries that will expire, ends those that have expired, drops the day partitions that are
/// older than any plan's retention, and removes deleted configuration that nothing refers to any
/// more. [dev.sluice.account.plan.Retention] says how long a plan keeps events;
/// [ExpiredDataRemover] drops the partitions.
///
/// Each step may stop at any point and run again. If a round takes longer than its lease, two nodes
/// may run at the same time. This is harmless: at worst, an announcement is repeated.
public final class RetentionLoop implements Loop.Step {

    /// Rows that another room keeps about events, and that are useless once these events are gone.
    @FunctionalInterface
    public interface ExpiredRows {

        /// Deletes up to `limit` rows about events that arrived before `before`. Returns the number
        /// of deleted rows.
        int deleteBefore(Tx tx, Instant before, int limit);
    }

    private static final SingletonLeaseStore LEASE = new SingletonLeaseStore("retention");
    private static final Duration LEASE_TIMEOUT = Duration.ofMinutes(10);
    private static final Duration ROUND_INTERVAL = Duration.ofHours(1);

    /// How long to wait before the next round if this round failed, could not drop day partitions
    /// because something blocked it, or did not run because another node had the lease.
    private static final Duration RETRY_INTERVAL = Duration.ofMinutes(1);

    private final Db db;
    private final InstantSource settledClock;
    private final UUID holder;
    private final ExpiryNotices expiryNotices;
    private final ExpiryFinisher expiryFinisher;
    private final ExpiredDataRemover dataRemover;
    private final ConfigurationPruner configurationPruner;

    /// Used only by the thread that runs the rounds.
    private Pause pause = Pause.NONE;

    /// @param resultListener receives the results of the deliveries that this loop ends
    /// @param expiredRows what to delete after the events of a day
    /// @param settledClock the clock for decisions that cannot be undone, such as a removal
    public RetentionLoop(
            Db db,
            PlanCatalog plans,
            PartitionStore partitions,
            Uuid7 ids,
            ResultListener resultListener,
            ExpiryListener expiryListener,
            List<ExpiredRows> expiredRows,
            InstantSource settledClock) {
        this.db = db;
        this.settledClock = settledClock;
        holder = ids.next();
        expiryNotices = new ExpiryNotices(db, plans, expiryListener);
        expiryFinisher = new ExpiryFinisher(db, plans, partitions, ids, resultListener);
        dataRemover = new ExpiredDataRemover(db, plans, partitions, expiryFinisher, expiredRows);
        configurationPruner = new ConfigurationPruner(db);
    }

    @Override
    public boolean run() {
        var now = settledClock.instant();
        if (!pause.isOver(now)) {
            return false;
        }
        pause = Pause.of(now, RETRY_INTERVAL);
        if (db.call(tx -> LEASE.acquire(tx, holder, LEASE_TIMEOUT))) {
            var parts = new RoundParts();
            parts.run(() -> expiryNotices.notifyExpiring(now));
            parts.run(() -> expiryFinisher.finishExpired(now));
            parts.run(() -> removeDays(now));
            parts.run(() -> configurationPruner.prune(now));
            parts.run(this::releaseLease);
            if (parts.isFailed()) {
                pause = Pause.of(now, RETRY_INTERVAL);
            }
            parts.end();
        }
        return false;
    }

    private void removeDays(Instant now) {
        if (dataRemover.remove(now)) {
            pause = Pause.of(now, ROUND_INTERVAL);
        }
    }

    /// Releases the lease, so that another node can take over immediately.
    public void releaseLease() {
        db.run(tx -> LEASE.release(tx, holder));
    }
}
