package dev.sluice.engine.signature;

import dev.sluice.engine.signature.SignatureScheme.SignatureEncoding;
import dev.sluice.engine.signature.SignatureScheme.SignatureLayout;
import dev.sluice.engine.signature.SignatureScheme.TimestampLocation;
import dev.sluice.gateway.source.VerificationConfig.GenericHmacVerification;
import dev.sluice.gateway.source.VerificationConfig.HmacAlgorithm;
import dev.sluice.gateway.source.VerificationConfig.SignedContent;

/// Builds the scheme that `HmacVerifier` uses to verify the webhooks for a source with a
/// `generic_hmac` config. The algorithm's name may precede the signature, as in `sha256=…`.
public final class GenericHmacSignature {

    private GenericHmacSignature() {}

    public static SignatureScheme schemeOf(GenericHmacVerification hmac) {
        var scheme =
                SignatureScheme.of(
                                hmac.header(),
                                switch (signedContent(hmac)) {
                                    case BODY -> "{body}";
                                    case TIMESTAMP_BODY -> "{timestamp}.{body}";
                                })
                        .withLayout(
                                new SignatureLayout.PrefixedSignature(
                                        hmac.algorithm().text() + "=", false))
                        .withAlgorithm(
                                hmac.algorithm() == HmacAlgorithm.SHA1
                                        ? SignatureScheme.SHA1
                                        : SignatureScheme.SHA256)
                        .withEncoding(
                                switch (hmac.encoding()) {
                                    case HEX -> SignatureEncoding.HEX;
                                    case BASE64 -> SignatureEncoding.BASE64;
                                })
                        .withTolerance(hmac.tolerance());
        return hmac.timestampHeader()
                .map(TimestampLocation.HeaderTimestamp::new)
                .map(scheme::withTimestamp)
                .orElse(scheme);
    }

    private static SignedContent signedContent(GenericHmacVerification hmac) {
        return hmac.signedContent()
                .orElse(
                        hmac.timestampHeader().isPresent()
                                ? SignedContent.TIMESTAMP_BODY
                                : SignedContent.BODY);
    }
}
