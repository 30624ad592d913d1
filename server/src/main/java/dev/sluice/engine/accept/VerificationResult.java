package dev.sluice.engine.accept;

import dev.sluice.engine.EventVerification;
import dev.sluice.engine.VerificationReason;
import dev.sluice.platform.secret.Secret;

import java.util.Optional;

/// The result of verifying a request: skipped, passed or failed.
public sealed interface VerificationResult {

    /// The source has no verification configured.
    record VerificationSkipped() implements VerificationResult {}

    /// The request was verified.
    ///
    /// @param secret the secret that matched; empty for public-key signatures
    record VerificationPassed(Optional<Secret> secret) implements VerificationResult {}

    record VerificationFailed(VerificationReason reason) implements VerificationResult {}

    /// Returns the result in the form that is stored with the event.
    default EventVerification toEventVerification() {
        return switch (this) {
            case VerificationSkipped() -> EventVerification.SKIPPED;
            case VerificationPassed _ -> EventVerification.VERIFIED;
            case VerificationFailed(VerificationReason reason) -> EventVerification.failed(reason);
        };
    }
}
