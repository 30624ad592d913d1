package dev.sluice.platform.db;

import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

/// Thrown when the database refuses a statement or cannot be reached. Its cause is the driver's
/// exception.
///
/// [DbFailure] tells what it means for the work. The other methods below name single SQLSTATEs that
/// a caller has its own answer to.
public final class DbException extends RuntimeException {

    private static final String INDEX_CORRUPTED = "XX002";

    private final String state;
    private final DbFailure failure;

    DbException(SQLException cause) {
        super(cause.getMessage(), cause);
        this.state = stateOf(cause);
        this.failure =
                cause instanceof SQLTransientConnectionException
                        ? DbFailure.CONNECTION_LOST
                        : DbFailure.of(state);
    }

    /// Creates an exception for a database that answers but cannot be used.
    DbException(String message) {
        super(message);
        this.state = "";
        this.failure = DbFailure.UNKNOWN;
    }

    private static String stateOf(SQLException cause) {
        @Nullable String state = cause.getSQLState();
        return state == null ? "" : state;
    }

    public DbFailure failure() {
        return failure;
    }

    /// Whether the connection broke or could not be made. If so, it is unknown whether the
    /// transaction was committed.
    public boolean isConnectionLost() {
        return failure == DbFailure.CONNECTION_LOST;
    }

    /// Whether a row violates a unique constraint.
    public boolean isDuplicate() {
        return state.equals("23505");
    }

    /// Whether the lock timeout ended before the lock became free.
    public boolean isLockTimeout() {
        return state.equals("55P03");
    }

    /// Whether the session is read-only. It may stay so after the database accepts writes again,
    /// and its server may no longer be the one that does. A new connection is needed.
    boolean isReadOnly() {
        return state.equals("25006");
    }

    /// Whether no partition covers the id of a row. PostgreSQL reports this as the violation of a
    /// check constraint, but names none.
    public boolean isMissingPartition() {
        return state.equals("23514")
                && !(getCause() instanceof PSQLException refused
                        && refused.getServerErrorMessage() != null
                        && refused.getServerErrorMessage().getConstraint() != null);
    }

    /// Whether the message was not understood. Connection poolers report this when they lose the
    /// server. The server reports it for a message that it can never read.
    public boolean isProtocolViolation() {
        return state.equals("08P01");
    }

    /// Whether a stored value cannot be read or decoded. Not so if an index is damaged: it can be
    /// made anew, and the rows are still there.
    public boolean isUnreadableValue() {
        return (failure == DbFailure.DAMAGED && !state.equals(INDEX_CORRUPTED))
                || (failure == DbFailure.BAD_ROW && state.startsWith("22"));
    }
}
