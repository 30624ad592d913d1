package dev.sluice.platform.postgres;

/// The embedded server can't or must not be started. The message is for the operator: what is
/// wrong, and what to do.
public final class PostgresRefusal extends RuntimeException {

    private static final long serialVersionUID = 1;

    PostgresRefusal(String message) {
        super(message);
    }

    PostgresRefusal(String message, Throwable cause) {
        super(message, cause);
    }
}
