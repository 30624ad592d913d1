package dev.sluice.engine.signature;

import dev.sluice.engine.signature.SignatureScheme.TimestampLocation;

import java.time.Duration;

/// The scheme that `HmacVerifier` uses to verify webhooks from Linear. The signature covers the
/// body and is sent in the `Linear-Signature` header. The timestamp is a field in the body, and may
/// differ from the time of receipt by at most a minute.
///
/// Source: Linear documentation, "Webhooks", section on securing webhooks.
final class LinearSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("Linear-Signature", "{body}")
                    .withTimestamp(new TimestampLocation.BodyTimestamp("webhookTimestamp"))
                    .withTolerance(Duration.ofMinutes(1));

    private LinearSignature() {}
}
