package dev.sluice.relay.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.platform.db.Db;
import dev.sluice.relay.store.Partitions;
import dev.sluice.relay.store.RetentionStore;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/// Removes days that no plan keeps any more, after what was left of their deliveries is ended, and
/// the hourly sums that nobody asks for.
final class Removal {

    /// Beyond the longest retention, for plans that are changed and clocks that differ.
    private static final Duration MARGIN = Duration.ofDays(1);

    /// Statistics are told by the day up to 90 days back, and may begin in the middle of one.
    private static final Duration HOURS_KEPT = Duration.ofDays(93);

    /// Sums removed in one transaction.
    private static final int SUMS = 5_000;

    private final Db db;
    private final PlanCatalog plans;
    private final Partitions partitions;
    private final Ending ending;

    Removal(Db db, PlanCatalog plans, Partitions partitions, Ending ending) {
        this.db = db;
        this.plans = plans;
        this.partitions = partitions;
        this.ending = ending;
    }

    /// False when something is in the way, so that it should be tried again soon.
    ///
    /// What is removed does not come back, so a clock that runs ahead must not do it: the earlier
    /// of this process's and the database's counts.
    boolean remove(Instant here) {
        var longest = plans.longestRetention();
        if (longest.days().isEmpty()) {
            return true;
        }
        var there = db.call(RetentionStore::now);
        var now = here.isBefore(there) ? here : there;
        var first = LocalDate.ofInstant(longest.expiredAt(now).minus(MARGIN), ZoneOffset.UTC);
        if (!ending.endBefore(start(first), now) || !partitions.dropBefore(first)) {
            return false;
        }
        forgetHours(now, start(first));
        return true;
    }

    /// Hours of days that are kept stay in any case: lists and the audit look at them.
    private void forgetHours(Instant now, Instant firstKept) {
        var unasked = now.minus(HOURS_KEPT);
        var before = unasked.isBefore(firstKept) ? unasked : firstKept;
        while (db.call(tx -> RetentionStore.forgetHours(tx, before, SUMS)) == SUMS) {
            // Until none is left.
        }
    }

    private static Instant start(LocalDate day) {
        return day.atStartOfDay().toInstant(ZoneOffset.UTC);
    }
}
