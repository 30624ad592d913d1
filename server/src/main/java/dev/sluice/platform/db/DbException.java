package dev.sluice.platform.db;

import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/// The database refused, or could not be reached. Wraps what the driver threw.
public final class DbException extends RuntimeException {

    /// Admin shutdown, crash shutdown, cannot connect now, idle session ended, idle transaction
    /// ended.
    private static final Set<String> GOING_DOWN =
            Set.of("57P01", "57P02", "57P03", "57P05", "25P03", "53300");

    private static final String PROTOCOL_VIOLATION = "08P01";

    private final String state;

    DbException(SQLException cause) {
        super(cause.getMessage(), cause);
        this.state = stateOf(cause);
    }

    /// A database that answers and cannot be used.
    DbException(String message) {
        super(message);
        this.state = "";
    }

    private static String stateOf(SQLException cause) {
        @Nullable String state = cause.getSQLState();
        return state == null ? "" : state;
    }

    /// A unique constraint already holds such a row.
    public boolean isDuplicate() {
        return state.equals("23505");
    }

    /// A lock was not to be had in the time that was set for it.
    public boolean isLockTimeout() {
        return state.equals("55P03");
    }

    /// No partition covers the row's id.
    public boolean isMissingPartition() {
        return state.equals("23514");
    }

    /// The database has no room or memory left, or its disk fails: it answers, and refuses whatever
    /// the work is.
    public boolean isOutOfResources() {
        return state.startsWith("53") || state.equals("58030");
    }

    /// After how many failures of this kind in a row the work itself must be suspected. A
    /// connection that breaks says nothing about it, however often it does. A violation of the
    /// protocol is ambiguous: connection poolers say so when they lose the server, and the server
    /// says so of a message that it cannot read, and then it will say so each time.
    public int patience() {
        return state.equals(PROTOCOL_VIOLATION) ? 10 : Integer.MAX_VALUE;
    }

    /// The connection broke or could not be made: whether the transaction was committed is not
    /// known.
    public boolean isConnectionLost() {
        return state.startsWith("08")
                || GOING_DOWN.contains(state)
                || getCause() instanceof SQLTransientConnectionException;
    }
}
