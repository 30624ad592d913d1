package dev.sluice.platform.db;

import java.time.Duration;
import java.util.UUID;

/// Stores the lease on a job that only one process may do at a time. The lease is the only row in
/// the job's own table. The database's clock decides whether the lease has expired.
///
/// A lease also counts as expired if it ends later than a lease acquired now would end, because it
/// must have been acquired before the clock was set back. This check must use `clock_timestamp()`,
/// not `now()`, which is the start of the transaction: while this transaction was waiting for the
/// row, another process may have acquired the lease. Compared with `now()`, that valid lease would
/// seem to end too late.
///
/// The table has the columns `holder` and `lease_until`. Each package that owns such a table
/// creates its own instance of this class.
public final class SingletonLeaseStore {

    private final String table;

    /// @param table a table name from Sluice's own code, never from input
    public SingletonLeaseStore(String table) {
        this.table = table;
    }

    /// Acquires or renews the lease. Returns false if another process holds it.
    public boolean acquire(Tx tx, UUID holder, Duration lease) {
        return tx.update(
                        """
                        update %s
                           set holder = ?, lease_until = now() + make_interval(secs => ?)
                         where holder = ? or lease_until is null or lease_until < now()
                            or lease_until > clock_timestamp() + make_interval(secs => ?)
                        """
                                .formatted(table),
                        holder,
                        lease.toSeconds(),
                        holder,
                        lease.toSeconds())
                == 1;
    }

    /// Ends the lease if `holder` holds it, so that another process can acquire it immediately.
    public void release(Tx tx, UUID holder) {
        tx.update(
                "update %s set holder = null, lease_until = null where holder = ?".formatted(table),
                holder);
    }
}
