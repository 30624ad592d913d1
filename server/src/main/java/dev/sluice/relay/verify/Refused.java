package dev.sluice.relay.verify;

import dev.sluice.relay.VerificationReason;

/// Ends a check that failed. Never leaves this room.
final class Refused extends Exception {

    private final VerificationReason reason;

    Refused(VerificationReason reason) {
        super(reason.sentence(), null, false, false);
        this.reason = reason;
    }

    VerificationReason reason() {
        return reason;
    }
}
