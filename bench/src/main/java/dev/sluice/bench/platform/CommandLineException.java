package dev.sluice.bench.platform;

/// Thrown for a command line that cannot be run. The message gives the reason.
public final class CommandLineException extends RuntimeException {

    public CommandLineException(String message) {
        super(message);
    }
}
