package dev.sluice.platform.db;

import java.util.List;
import java.util.Set;

/// The kinds of database failure, by what they mean for the work that failed.
///
/// This is the only place that assigns SQLSTATEs to these kinds. The SQLSTATEs are listed in the
/// PostgreSQL manual, appendix "PostgreSQL Error Codes". Code that must choose between waiting and
/// giving up uses this type, so that the choice is the same everywhere.
public enum DbFailure {

    /// The connection broke or could not be established, or the pool had no free connection in
    /// time. If the connection broke, the transaction may or may not have been committed. The work
    /// waits for a new connection, for as long as that takes.
    CONNECTION_LOST,

    /// The database responds, but refuses the work for now. For example, it is read-only, cancels
    /// the statement, rolls back the transaction to end a deadlock, lacks memory or disk space, or
    /// cannot get a lock. Nothing was committed, and the work is not the cause. The work waits.
    PASSING,

    /// A row breaks a rule and would break it again (SQLSTATE classes 22 and 23). The caller gives
    /// up on this row, but not on the other rows of the same work.
    BAD_ROW,

    /// A stored row or an index cannot be read (SQLSTATE class XX).
    DAMAGED,

    /// Any other failure. The work waits, but other work goes first.
    UNKNOWN;

    /// The SQLSTATEs that indicate a lost or unusable connection: statement completion unknown,
    /// idle transaction timeout, too many connections, admin shutdown, crash shutdown, cannot
    /// connect now, database dropped, idle session timeout.
    private static final Set<String> CONNECTION_LOST_STATES =
            Set.of("40003", "25P03", "53300", "57P01", "57P02", "57P03", "57P04", "57P05");

    /// The prefixes of the SQLSTATEs that indicate a passing failure: read-only transaction,
    /// transaction rollback, insufficient resources, object not in prerequisite state, operator
    /// intervention, system error.
    private static final List<String> PASSING_PREFIXES =
            List.of("25006", "40", "53", "55", "57", "58");

    static DbFailure of(String state) {
        if (state.startsWith("08") || CONNECTION_LOST_STATES.contains(state)) {
            return CONNECTION_LOST;
        }
        if (PASSING_PREFIXES.stream().anyMatch(state::startsWith)) {
            return PASSING;
        }
        if (state.startsWith("22") || state.startsWith("23")) {
            return BAD_ROW;
        }
        return state.startsWith("XX") ? DAMAGED : UNKNOWN;
    }

    /// Returns whether the same work can succeed later without being changed, because it did not
    /// cause the failure.
    public boolean isPassing() {
        return this == CONNECTION_LOST || this == PASSING;
    }
}
