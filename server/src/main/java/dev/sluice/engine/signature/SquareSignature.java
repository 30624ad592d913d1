package dev.sluice.engine.signature;

import dev.sluice.engine.signature.SignatureScheme.SignatureEncoding;

/// The scheme that `HmacVerifier` uses to verify webhooks from Square. The signature covers the
/// public URL and the body, and is sent in the `x-square-hmacsha256-signature` header.
///
/// Source: Square documentation, "Verify and validate an event notification".
final class SquareSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("x-square-hmacsha256-signature", "{url}{body}")
                    .withEncoding(SignatureEncoding.BASE64);

    private SquareSignature() {}
}
