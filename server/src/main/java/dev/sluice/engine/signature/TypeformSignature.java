package dev.sluice.engine.signature;

import dev.sluice.engine.signature.SignatureScheme.SignatureEncoding;
import dev.sluice.engine.signature.SignatureScheme.SignatureLayout;

/// The scheme that `HmacVerifier` uses to verify webhooks from Typeform. The signature covers the
/// body and is sent as `Typeform-Signature: sha256=…`.
///
/// Source: Typeform documentation, "Secure your webhooks".
final class TypeformSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("Typeform-Signature", "{body}")
                    .withLayout(new SignatureLayout.PrefixedSignature("sha256=", true))
                    .withEncoding(SignatureEncoding.BASE64);

    private TypeformSignature() {}
}
