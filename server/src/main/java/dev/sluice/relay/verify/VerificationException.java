package dev.sluice.relay.verify;

import dev.sluice.relay.VerificationReason;

/// Signals that a request failed verification. Caught within this package.
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
