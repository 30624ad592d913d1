package dev.sluice.observe.audit;

import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// How far the audit got, and which node does it. The lease is told by the database's clock.
final class AuditStore {

    /// @param checkedTo all that came in earlier is checked; empty before the first hour
    record Progress(Optional<Instant> checkedTo) {}

    private AuditStore() {}

    /// Takes or renews the lease. Empty while another holds it.
    static Optional<Progress> hold(Tx tx, UUID holder, Duration lease) {
        return tx.one(
                """
                update audit
                   set holder = ?, lease_until = now() + make_interval(secs => ?)
                 where holder = ? or lease_until is null or lease_until < now()
                returning checked_to
                """,
                row -> new Progress(row.instantOrNone("checked_to")),
                holder,
                lease.toSeconds(),
                holder);
    }

    /// False when another holds the lease by now.
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

    static void leave(Tx tx, UUID holder) {
        tx.update("update audit set holder = null, lease_until = null where holder = ?", holder);
    }
}
