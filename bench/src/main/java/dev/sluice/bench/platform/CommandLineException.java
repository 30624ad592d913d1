package dev.sluice.bench.platform;

/// Thrown if a command line is invalid or cannot be run. The message gives the reason.
public final class CommandLineException extends RuntimeException {

    public CommandLineException(String message) {
        super(message);
    }
}
