package dev.sluice.bench.platform;

/// A command line that cannot be run; the message says why.
public final class CommandLineException extends RuntimeException {

    public CommandLineException(String message) {
        super(message);
    }
}
