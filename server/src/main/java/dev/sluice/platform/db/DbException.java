package dev.sluice.platform.db;

import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

/// Thrown when the database refuses a statement or cannot be reached. The cause is the driver's
/// exception, if there is one.
///
/// [DbFailure] says what the failure means for the work. The `is...` methods identify failures that
/// some callers handle in their own way.
public final class DbException extends RuntimeException {

    private static final String INDEX_CORRUPTED = "XX002";

    private final String state;
    private final DbFailure failure;
    private final boolean isBusy;

    DbException(SQLException cause) {
        super(cause.getMessage(), cause);
        this.state = stateOf(cause);
        this.isBusy = false;
        this.failure =
                cause instanceof SQLTransientConnectionException
                        ? DbFailure.CONNECTION_LOST
                        : DbFailure.of(state);
    }

    /// Creates an exception that was not caused by a driver exception, for example because the
    /// server is too old. Its failure is [DbFailure#UNKNOWN].
    DbException(String message) {
        this(message, DbFailure.UNKNOWN, false);
    }

    private DbException(String message, DbFailure failure, boolean isBusy) {
        super(message);
        this.state = "";
        this.failure = failure;
        this.isBusy = isBusy;
    }

    /// Returns the exception for work whose owner has its share of the connections already.
    static DbException busy() {
        return new DbException(
                "the owner's share of the connections is in use", DbFailure.PASSING, true);
    }

    private static String stateOf(SQLException cause) {
        @Nullable String state = cause.getSQLState();
        return state == null ? "" : state;
    }

    public DbFailure failure() {
        return failure;
    }

    /// Returns whether the connection broke or could not be established, or the pool had no free
    /// connection in time. If the connection broke, the transaction may or may not have been
    /// committed.
    public boolean isConnectionLost() {
        return failure == DbFailure.CONNECTION_LOST;
    }

    /// Returns whether the work did not get a connection because its owner has its share of the
    /// pool already. The database is not the cause, and nothing was done.
    public boolean isBusy() {
        return isBusy;
    }

    /// Returns whether the database does not exist, or does not accept this user and password.
    public boolean isLoginRefused() {
        return state.startsWith("28") || state.equals("3D000");
    }

    /// Returns whether a row violates a unique constraint.
    public boolean isDuplicate() {
        return state.equals("23505");
    }

    /// Returns whether the lock timeout expired before the lock became free.
    public boolean isLockTimeout() {
        return state.equals("55P03");
    }

    /// Returns whether the statement was canceled, usually because it ran longer than the statement
    /// timeout.
    public boolean isCanceled() {
        return state.equals("57014");
    }

    /// Returns whether the statement was refused because the session is read-only. The connection
    /// must then be replaced: its session may stay read-only after the database accepts writes
    /// again, or another server may have become the writable one.
    boolean isReadOnly() {
        return state.equals("25006");
    }

    /// Returns whether no partition exists for a row. PostgreSQL reports this as a violation of a
    /// check constraint, but does not name a constraint.
    public boolean isMissingPartition() {
        return state.equals("23514")
                && !(getCause() instanceof PSQLException refused
                        && refused.getServerErrorMessage() != null
                        && refused.getServerErrorMessage().getConstraint() != null);
    }

    /// Returns whether PostgreSQL or a connection pooler reported a protocol violation. A pooler
    /// reports one when it loses its connection to the server. PostgreSQL reports one for a message
    /// that it cannot parse at all.
    public boolean isProtocolViolation() {
        return state.equals("08P01");
    }

    /// Returns whether a read failed because a stored value cannot be read or decoded. Returns
    /// false if an index is damaged, because the index can be rebuilt from the rows.
    public boolean isUnreadableValue() {
        return (failure == DbFailure.DAMAGED && !state.equals(INDEX_CORRUPTED))
                || (failure == DbFailure.BAD_ROW && state.startsWith("22"));
    }
}
