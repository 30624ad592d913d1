package dev.sluice.engine;

import dev.sluice.gateway.source.VerificationStatus;

import java.util.Optional;

/// The result of verifying an inbound request, stored with its event.
///
/// @param reason why the verification failed, or empty if it did not fail
public record EventVerification(VerificationStatus status, Optional<VerificationReason> reason) {

    public static final EventVerification SKIPPED =
            new EventVerification(VerificationStatus.SKIPPED, Optional.empty());
    public static final EventVerification VERIFIED =
            new EventVerification(VerificationStatus.VERIFIED, Optional.empty());

    public static EventVerification failed(VerificationReason reason) {
        return new EventVerification(VerificationStatus.FAILED, Optional.of(reason));
    }

    public boolean isFailed() {
        return status == VerificationStatus.FAILED;
    }
}
