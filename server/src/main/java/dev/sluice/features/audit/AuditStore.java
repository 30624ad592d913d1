package dev.sluice.features.audit;

import dev.sluice.platform.db.SingletonLeaseStore;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// Reads and writes the only row in the `audit` table. The row contains the time up to which data
/// has been checked, the number of violations found, and the audit's lease.
final class AuditStore {

    private static final SingletonLeaseStore LEASE = new SingletonLeaseStore("audit");

    /// The audit's progress.
    ///
    /// @param checkedTo the time before which everything received has been checked; empty until the
    ///   first hour has been checked
    record AuditProgress(Optional<Instant> checkedTo) {}

    private AuditStore() {}

    /// Acquires or renews the lease, and returns the audit's progress. Returns empty if another
    /// process holds the lease.
    static Optional<AuditProgress> acquireLease(Tx tx, UUID holder, Duration lease) {
        return LEASE.acquire(tx, holder, lease)
                ? tx.findOne(
                        "select checked_to from audit",
                        row -> new AuditProgress(row.instantOrNone("checked_to")))
                : Optional.empty();
    }

    /// Records that everything received before `checkedTo` has been checked, and adds `violations`
    /// to the stored total. Returns false without changing anything if another process now holds
    /// the lease.
    static boolean advance(Tx tx, UUID holder, Instant checkedTo, long violations) {
        return tx.update(
                        """
                        update audit
                           set checked_to = ?, violations = violations + ?
                         where holder = ?
                        """,
                        checkedTo,
                        violations,
                        holder)
                == 1;
    }

    static void releaseLease(Tx tx, UUID holder) {
        LEASE.release(tx, holder);
    }
}
