package dev.sluice.platform.db;

import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/// Thrown when the database refuses a statement or cannot be reached. Its cause is the driver's
/// exception.
///
/// The methods below examine the SQLSTATE, PostgreSQL's error code (PostgreSQL manual, appendix
/// "PostgreSQL Error Codes").
public final class DbException extends RuntimeException {

    /// SQLSTATEs that mean the connection is unusable: admin shutdown, crash shutdown, cannot
    /// connect now, idle session timeout, idle transaction timeout, too many connections.
    private static final Set<String> UNAVAILABLE_STATES =
            Set.of("57P01", "57P02", "57P03", "57P05", "25P03", "53300");

    private static final String PROTOCOL_VIOLATION = "08P01";

    private final String state;

    DbException(SQLException cause) {
        super(cause.getMessage(), cause);
        this.state = stateOf(cause);
    }

    /// Creates an exception for a database that answers but cannot be used.
    DbException(String message) {
        super(message);
        this.state = "";
    }

    private static String stateOf(SQLException cause) {
        @Nullable String state = cause.getSQLState();
        return state == null ? "" : state;
    }

    /// Whether a row violates a unique constraint.
    public boolean isDuplicate() {
        return state.equals("23505");
    }

    /// Whether the lock timeout ended before the lock became free.
    public boolean isLockTimeout() {
        return state.equals("55P03");
    }

    /// Whether no partition covers the id of a row. PostgreSQL reports this as a check violation,
    /// so the method also returns true for a violated check constraint.
    public boolean isMissingPartition() {
        return state.equals("23514");
    }

    /// Whether the database is out of disk space, memory or connections, or its disk fails. It then
    /// refuses any work, so the failed work itself is not at fault.
    public boolean isOutOfResources() {
        return state.startsWith("53") || state.equals("58030");
    }

    /// Returns the number of consecutive failures after which the work itself is suspected of
    /// causing them.
    ///
    /// A broken connection does not implicate the work, however often it happens. A protocol
    /// violation is ambiguous. Connection poolers report one when they lose the server. The server
    /// reports one for a message that it cannot read, and such a message fails every time.
    public int failuresBeforeSuspect() {
        return state.equals(PROTOCOL_VIOLATION) ? 10 : Integer.MAX_VALUE;
    }

    /// Whether the connection broke or could not be made. If so, it is unknown whether the
    /// transaction was committed.
    public boolean isConnectionLost() {
        return state.startsWith("08")
                || UNAVAILABLE_STATES.contains(state)
                || getCause() instanceof SQLTransientConnectionException;
    }
}
