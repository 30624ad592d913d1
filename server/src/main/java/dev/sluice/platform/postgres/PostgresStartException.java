package dev.sluice.platform.postgres;

/// Thrown when the embedded server fails to start or must not be started. The message tells the
/// operator what failed and what to do.
public final class PostgresStartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    PostgresStartException(String message) {
        super(message);
    }

    PostgresStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
