package dev.sluice.relay.signature;

import dev.sluice.relay.signature.SignatureScheme.SignatureEncoding;

/// The scheme by which `HmacVerifier` verifies Twilio's webhooks. The signature covers the public
/// URL and the fields of the form (see `TwilioSignedContent`) and is in `X-Twilio-Signature`.
///
/// Source: Twilio documentation, "Validating requests"; npm package `twilio`.
final class TwilioSignature {

    static final SignatureScheme SCHEME =
            SignatureScheme.of("X-Twilio-Signature", "{url}{form}")
                    .withAlgorithm(SignatureScheme.SHA1)
                    .withEncoding(SignatureEncoding.BASE64);

    private TwilioSignature() {}
}
