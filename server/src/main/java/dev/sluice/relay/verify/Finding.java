package dev.sluice.relay.verify;

import dev.sluice.platform.secret.Secret;
import dev.sluice.relay.Checked;
import dev.sluice.relay.VerificationReason;

import java.util.Optional;

/// What a check came to.
public sealed interface Finding {

    /// The source checks nothing.
    record Skipped() implements Finding {}

    /// @param secret with which it was signed, where there is one
    record Verified(Optional<Secret> secret) implements Finding {}

    record Failed(VerificationReason reason) implements Finding {}

    default Checked checked() {
        return switch (this) {
            case Skipped() -> Checked.SKIPPED;
            case Verified _ -> Checked.VERIFIED;
            case Failed(VerificationReason reason) -> Checked.failed(reason);
        };
    }
}
