package dev.sluice.features.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.plan.UsageKind;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.gateway.connection.ReplacedConnectionStore;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.destination.ReplacedDestinationStore;
import dev.sluice.gateway.source.ReplacedSourceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;

/// Deletes expired data. Drops the day partitions that are older than the longest retention that
/// any plan has. Also deletes hourly sums, destination revisions, replaced configuration, and what
/// others keep about expired events.
///
/// Before a partition is dropped, all unfinished deliveries from its day are ended.
final class ExpiredDataRemover {

    /// The time added to the longest retention before a day's partition is dropped. It allows for
    /// plan changes and clock differences.
    private static final Duration REMOVAL_GRACE_PERIOD = Duration.ofDays(1);

    /// How long a replaced revision is kept after the attempts from the day on which it was
    /// replaced have been deleted. An attempt may have begun before its revision was replaced, and
    /// clocks differ.
    private static final Duration REVISION_GRACE_PERIOD = Duration.ofDays(1);

    /// The maximum number of rows deleted in one transaction.
    private static final int DELETE_BATCH_ROWS = 5_000;

    private final Db db;
    private final PlanCatalog plans;
    private final PartitionStore partitions;
    private final ExpiryFinisher expiryFinisher;
    private final List<RetentionLoop.ExpiredRows> expiredRows;

    ExpiredDataRemover(
            Db db,
            PlanCatalog plans,
            PartitionStore partitions,
            ExpiryFinisher expiryFinisher,
            List<RetentionLoop.ExpiredRows> expiredRows) {
        this.db = db;
        this.plans = plans;
        this.partitions = partitions;
        this.expiryFinisher = expiryFinisher;
        this.expiredRows = expiredRows;
    }

    /// Removes everything that has expired. Does nothing if any plan keeps events forever. Returns
    /// false if something blocks the removal; the caller should then try again soon.
    boolean remove(Instant now) {
        var longest = plans.longestRetention();
        if (longest.days().isEmpty()) {
            return true;
        }
        var first =
                LocalDate.ofInstant(
                        longest.expiryCutoff(now).minus(REMOVAL_GRACE_PERIOD), ZoneOffset.UTC);
        if (!expiryFinisher.finishBefore(start(first), now) || !partitions.dropBefore(first)) {
            return false;
        }
        deleteHourlySums(now, start(first));
        removeRevisions(start(first).minus(REVISION_GRACE_PERIOD));
        expiredRows.forEach(rows ->
                removeBatches(tx -> rows.deleteBefore(tx, start(first), DELETE_BATCH_ROWS)));
        return true;
    }

    /// Removes destination revisions, and settings of destinations, connections and sources, that
    /// were replaced before the given time.
    private void removeRevisions(Instant before) {
        removeBatches(
                tx -> DestinationStore.removeReplacedRevisions(tx, before, DELETE_BATCH_ROWS));
        removeBatches(tx -> ReplacedDestinationStore.removeBefore(tx, before, DELETE_BATCH_ROWS));
        removeBatches(tx -> ReplacedConnectionStore.removeBefore(tx, before, DELETE_BATCH_ROWS));
        removeBatches(tx -> ReplacedSourceStore.removeBefore(tx, before, DELETE_BATCH_ROWS));
    }

    /// Repeats `remove` until it removes less than a full batch.
    private void removeBatches(Function<Tx, Integer> remove) {
        boolean isFull = true;
        while (isFull) {
            isFull = db.call(remove) == DELETE_BATCH_ROWS;
        }
    }

    /// Deletes hourly sums that are no longer needed. Keeps the sums for days whose partitions
    /// still exist, because lists and the audit read them.
    private void deleteHourlySums(Instant now, Instant firstKept) {
        var oldestQueried = now.minus(UsageKind.HOURLY_RETENTION);
        var before = oldestQueried.isBefore(firstKept) ? oldestQueried : firstKept;
        removeBatches(tx -> LedgerStore.deleteHoursBefore(tx, before, DELETE_BATCH_ROWS));
    }

    private static Instant start(LocalDate day) {
        return day.atStartOfDay().toInstant(ZoneOffset.UTC);
    }
}
