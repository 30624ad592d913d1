package dev.sluice.engine.signature;

import dev.sluice.engine.signature.SignatureScheme.SignatureLayout;
import dev.sluice.engine.signature.SignatureScheme.TimestampLocation;

/// The scheme that `HmacVerifier` uses to verify webhooks from Paddle. The signature covers the
/// timestamp and the body. The header `Paddle-Signature: ts=…;h1=…` contains the timestamp and one
/// or more signatures.
///
/// Source: Paddle documentation, "Verify webhook signatures"; npm package
/// `@paddle/paddle-node-sdk`. The package accepts a timestamp for only 5 s; this scheme uses the
/// default tolerance of five minutes.
final class PaddleSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("Paddle-Signature", "{timestamp}:{body}")
                    .withLayout(new SignatureLayout.SignaturePairs(';', "ts", "h1"))
                    .withTimestamp(new TimestampLocation.SignatureTimestamp());

    private PaddleSignature() {}
}
