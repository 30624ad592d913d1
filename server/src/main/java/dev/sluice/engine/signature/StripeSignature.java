package dev.sluice.engine.signature;

import dev.sluice.engine.signature.SignatureScheme.SignatureLayout;
import dev.sluice.engine.signature.SignatureScheme.TimestampLocation;

/// The scheme that `HmacVerifier` uses to verify webhooks from Stripe. The signature covers the
/// timestamp and the body. The header `Stripe-Signature: t=…,v1=…` contains the timestamp and one
/// or more signatures.
///
/// Source: Stripe documentation, "Verify webhook signatures manually"; npm package `stripe`.
final class StripeSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("Stripe-Signature", "{timestamp}.{body}")
                    .withLayout(new SignatureLayout.SignaturePairs(',', "t", "v1"))
                    .withTimestamp(new TimestampLocation.SignatureTimestamp());

    private StripeSignature() {}
}
