package dev.sluice.relay.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.platform.db.Db;
import dev.sluice.relay.UsageKind;
import dev.sluice.relay.deadletters.DismissalStore;
import dev.sluice.relay.store.PartitionStore;
import dev.sluice.relay.usage.LedgerStore;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/// Drops the day partitions that no plan keeps any more, and deletes the hourly sums and the
/// revisions of destinations that no query needs.
///
/// Unfinished deliveries in those partitions are ended first.
final class ExpiredDayRemover {

    /// Time added to the longest retention before a day is dropped, because plans change and clocks
    /// differ.
    private static final Duration REMOVAL_GRACE_PERIOD = Duration.ofDays(1);

    /// Time added before a revision goes, because an attempt may have begun before its revision was
    /// replaced, and clocks differ.
    private static final Duration REVISION_GRACE_PERIOD = Duration.ofDays(1);

    /// Number of rows deleted in one transaction.
    private static final int DELETE_BATCH_ROWS = 5_000;

    private final Db db;
    private final PlanCatalog plans;
    private final PartitionStore partitions;
    private final ExpiryFinisher expiryFinisher;

    ExpiredDayRemover(
            Db db, PlanCatalog plans, PartitionStore partitions, ExpiryFinisher expiryFinisher) {
        this.db = db;
        this.plans = plans;
        this.partitions = partitions;
        this.expiryFinisher = expiryFinisher;
    }

    /// Removes what has expired. Returns false when something blocks the removal; the caller should
    /// try again soon.
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
        deleteDismissals(start(first));
        return true;
    }

    /// Removes revisions that were replaced before any stored event came in.
    private void removeRevisions(Instant before) {
        while (db.call(
                        tx ->
                                DestinationStore.removeReplacedRevisions(
                                        tx, before, DELETE_BATCH_ROWS))
                == DELETE_BATCH_ROWS) {
            // repeats until a batch is not full
        }
    }

    /// Deletes hourly sums that are no longer needed, but never those of days that are still kept,
    /// because lists and the audit read them.
    private void deleteHourlySums(Instant now, Instant firstKept) {
        var oldestQueried = now.minus(UsageKind.HOURLY_RETENTION);
        var before = oldestQueried.isBefore(firstKept) ? oldestQueried : firstKept;
        while (db.call(tx -> LedgerStore.deleteHoursBefore(tx, before, DELETE_BATCH_ROWS))
                == DELETE_BATCH_ROWS) {
            // repeats until a batch is not full
        }
    }

    private void deleteDismissals(Instant before) {
        while (db.call(tx -> DismissalStore.deleteBefore(tx, before, DELETE_BATCH_ROWS))
                == DELETE_BATCH_ROWS) {
            // repeats until a batch is not full
        }
    }

    private static Instant start(LocalDate day) {
        return day.atStartOfDay().toInstant(ZoneOffset.UTC);
    }
}
