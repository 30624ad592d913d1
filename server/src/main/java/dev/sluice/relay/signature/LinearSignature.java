package dev.sluice.relay.signature;

import dev.sluice.relay.signature.SignatureScheme.TimestampLocation;

import java.time.Duration;

/// The scheme by which `HmacVerifier` verifies Linear's webhooks. The signature covers the body and
/// is in `Linear-Signature`. The timestamp is a field of the body and may differ by at most a
/// minute.
///
/// Source: Linear documentation, "Webhooks", section on securing webhooks.
final class LinearSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("Linear-Signature", "{body}")
                    .withTimestamp(new TimestampLocation.BodyTimestamp("webhookTimestamp"))
                    .withTolerance(Duration.ofMinutes(1));

    private LinearSignature() {}
}
