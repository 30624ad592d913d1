package dev.sluice;

/// Thrown when the server cannot start, or when a command cannot open its database.
///
/// The message tells the operator what to do. It is shown without a stack trace.
final class StartupException extends RuntimeException {

    StartupException(String message) {
        super(message);
    }
}
