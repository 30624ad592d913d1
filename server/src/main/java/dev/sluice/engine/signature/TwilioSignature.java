package dev.sluice.engine.signature;

import dev.sluice.engine.signature.SignatureScheme.SignatureEncoding;

/// The scheme that `HmacVerifier` uses to verify webhooks from Twilio. The signature covers the
/// public URL and the form fields (see `TwilioSignedContent`), and is sent in the
/// `X-Twilio-Signature` header.
///
/// Source: Twilio documentation, "Validating requests"; npm package `twilio`.
final class TwilioSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("X-Twilio-Signature", "{url}{form}")
                    .withAlgorithm(SignatureScheme.SHA1)
                    .withEncoding(SignatureEncoding.BASE64);

    private TwilioSignature() {}
}
