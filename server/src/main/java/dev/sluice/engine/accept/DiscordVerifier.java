package dev.sluice.engine.accept;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.engine.VerificationReason;
import dev.sluice.engine.signature.SignatureScheme;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;

/// Checks Discord's Ed25519 signature over the timestamp and the body.
///
/// The rules are from the Discord documentation, "Setting up an endpoint", and from RFC 8032.
final class DiscordVerifier {

    static final String SIGNATURE_HEADER = "X-Signature-Ed25519";

    private static final Duration TIMESTAMP_TOLERANCE = Duration.ofMinutes(5);

    /// The DER bytes that precede the 32 key bytes in an encoded Ed25519 public key (RFC 8410,
    /// section 4).
    private static final String ED25519_KEY_PREFIX = "302a300506032b6570032100";

    private DiscordVerifier() {}

    static VerificationResult check(String publicKey, InboundRequest inbound)
            throws VerificationException {
        String signature =
                inbound.singleHeader(
                        SIGNATURE_HEADER,
                        VerificationReason.SIGNATURE_MISSING,
                        VerificationReason.SIGNATURE_REPEATED);
        String timestamp =
                inbound.singleHeader(
                        "X-Signature-Timestamp",
                        VerificationReason.TIMESTAMP_MISSING,
                        VerificationReason.TIMESTAMP_REPEATED);
        long seconds = TimestampValidator.parseSeconds(timestamp);
        byte[] given =
                SignatureScheme.SignatureEncoding.HEX
                        .decode(signature)
                        .orElseThrow(() ->
                                new VerificationException(VerificationReason.SIGNATURE_MALFORMED));
        if (!matches(publicKey, given, timestamp, inbound.body())) {
            throw new VerificationException(VerificationReason.SIGNATURE_MISMATCH);
        }
        TimestampValidator.requireWithinTolerance(
                seconds, inbound.headReadAt(), TIMESTAMP_TOLERANCE);
        return new VerificationResult.VerificationPassed(Optional.empty());
    }

    private static boolean matches(String publicKey, byte[] given, String timestamp, byte[] body) {
        try {
            var check = Signature.getInstance("Ed25519");
            check.initVerify(key(publicKey));
            check.update(timestamp.getBytes(ISO_8859_1));
            check.update(body);
            return check.verify(given);
        } catch (InvalidKeySpecException | InvalidKeyException | SignatureException e) {
            return false; // the key is not on the curve, or the signature has the wrong length
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has Ed25519", e);
        }
    }

    private static PublicKey key(String hex) throws GeneralSecurityException {
        byte[] encoded = HexFormat.of().parseHex(ED25519_KEY_PREFIX + hex);
        return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
    }
}
