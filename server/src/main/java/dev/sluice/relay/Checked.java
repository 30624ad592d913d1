package dev.sluice.relay;

import java.util.Optional;

/// What is kept of an event's verification.
///
/// @param reason why it failed; empty when it did not
public record Checked(Verification status, Optional<VerificationReason> reason) {

    public static final Checked SKIPPED = new Checked(Verification.SKIPPED, Optional.empty());
    public static final Checked VERIFIED = new Checked(Verification.VERIFIED, Optional.empty());

    public static Checked failed(VerificationReason reason) {
        return new Checked(Verification.FAILED, Optional.of(reason));
    }

    public boolean isFailed() {
        return status == Verification.FAILED;
    }
}
