package dev.sluice;

/// The server cannot start. The message says why and what to do, and is all that is shown.
final class StartRefused extends RuntimeException {

    StartRefused(String message) {
        super(message);
    }
}
