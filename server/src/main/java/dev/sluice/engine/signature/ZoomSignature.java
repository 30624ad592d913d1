package dev.sluice.engine.signature;

import dev.sluice.engine.signature.SignatureScheme.SignatureLayout;
import dev.sluice.engine.signature.SignatureScheme.TimestampLocation;

/// The scheme that `HmacVerifier` uses to verify webhooks from Zoom. The signature covers the
/// timestamp and the body, and is sent as `x-zm-signature: v0=…`.
///
/// Source: Zoom documentation, "Using webhooks".
final class ZoomSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("x-zm-signature", "v0:{timestamp}:{body}")
                    .withLayout(new SignatureLayout.PrefixedSignature("v0=", true))
                    .withTimestamp(new TimestampLocation.HeaderTimestamp("x-zm-request-timestamp"));

    private ZoomSignature() {}
}
