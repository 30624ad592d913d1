package dev.sluice;

/// Thrown when the server cannot start, or when a command cannot run.
///
/// The message tells the operator the reason and, in most cases, what to do. It is shown without a
/// stack trace.
final class StartupException extends RuntimeException {

    StartupException(String message) {
        super(message);
    }
}
