package dev.sluice.relay.signature;

import dev.sluice.relay.signature.SignatureScheme.SignatureEncoding;
import dev.sluice.relay.signature.SignatureScheme.SignatureLayout;

/// The scheme by which `HmacVerifier` verifies Typeform's webhooks. The signature covers the body
/// and is in `Typeform-Signature: sha256=…`.
///
/// Source: Typeform documentation, "Secure your webhooks".
final class TypeformSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("Typeform-Signature", "{body}")
                    .withLayout(new SignatureLayout.PrefixedSignature("sha256=", true))
                    .withEncoding(SignatureEncoding.BASE64);

    private TypeformSignature() {}
}
