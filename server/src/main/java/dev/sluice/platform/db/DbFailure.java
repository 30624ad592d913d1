package dev.sluice.platform.db;

import java.util.List;
import java.util.Set;

/// What a failure of the database means for the work that met it.
///
/// This is the only table of SQLSTATEs in the program (PostgreSQL manual, appendix "PostgreSQL
/// Error Codes"). Whoever decides between waiting and giving up asks it, so that all decide alike.
public enum DbFailure {

    /// The connection broke or could not be made. It is unknown whether the transaction was
    /// committed. The work waits for a new connection, however often that fails.
    CONNECTION_LOST,

    /// The database answers and refuses for now: it is read-only, cancels statements, lacks memory
    /// or disk space, or holds a lock. Nothing was committed, and the work is not at fault. It
    /// waits.
    PASSING,

    /// A row of the work breaks a rule, and always will (classes 22 and 23). The work is given up,
    /// but only the row itself.
    BAD_ROW,

    /// A stored row or an index cannot be read (class XX).
    DAMAGED,

    /// None of these. The work waits, but not in front of other work.
    UNKNOWN;

    /// The connection is gone or unusable: statement completion unknown, idle transaction timeout,
    /// too many connections, admin shutdown, crash shutdown, cannot connect now, database dropped,
    /// idle session timeout.
    private static final Set<String> CONNECTION_LOST_STATES =
            Set.of("40003", "25P03", "53300", "57P01", "57P02", "57P03", "57P04", "57P05");

    /// Read-only transaction; transaction rollback, insufficient resources, object not in
    /// prerequisite state, operator intervention, system error.
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

    /// Whether the failure is known to pass without a change to the work.
    public boolean isPassing() {
        return this == CONNECTION_LOST || this == PASSING;
    }
}
