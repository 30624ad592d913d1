package dev.sluice.bench.platform;

/// A command line that cannot be run as it stands; the message says why.
public final class UsageException extends RuntimeException {

    public UsageException(String message) {
        super(message);
    }
}
