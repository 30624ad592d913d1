package dev.sluice.engine.accept;

import dev.sluice.engine.VerificationReason;

/// Thrown when a request fails verification. The exception is caught within this package.
final class VerificationException extends Exception {

    private final VerificationReason reason;

    VerificationException(VerificationReason reason) {
        super(reason.sentence(), null, false, false);
        this.reason = reason;
    }

    VerificationReason reason() {
        return reason;
    }
}
