package dev.sluice.relay.signature;

import dev.sluice.relay.signature.SignatureScheme.SignatureEncoding;

/// The scheme by which `HmacVerifier` verifies Square's webhooks. The signature covers the public
/// URL and the body and is in `x-square-hmacsha256-signature`.
///
/// Source: Square documentation, "Verify and validate an event notification".
final class SquareSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("x-square-hmacsha256-signature", "{url}{body}")
                    .withEncoding(SignatureEncoding.BASE64);

    private SquareSignature() {}
}
