package dev.sluice.relay.verify;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.relay.VerificationReason;

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

/// Discord's Ed25519 signatures over timestamp and body (Discord documentation, "Setting up an
/// endpoint"; RFC 8032).
final class DiscordSignature {

    private static final Duration TOLERANCE = Duration.ofMinutes(5);

    /// What stands before the 32 bytes of an Ed25519 key in its encoded form (RFC 8410, 4).
    private static final String ENCODING_HEAD = "302a300506032b6570032100";

    private DiscordSignature() {}

    static Finding check(String publicKey, Inbound inbound) throws Refused {
        String signature =
                inbound.only(
                        "X-Signature-Ed25519",
                        VerificationReason.SIGNATURE_MISSING,
                        VerificationReason.SIGNATURE_REPEATED);
        String timestamp =
                inbound.only(
                        "X-Signature-Timestamp",
                        VerificationReason.TIMESTAMP_MISSING,
                        VerificationReason.TIMESTAMP_REPEATED);
        long seconds = Timestamp.seconds(timestamp);
        byte[] given =
                Scheme.Encoding.HEX
                        .decode(signature)
                        .orElseThrow(() -> new Refused(VerificationReason.SIGNATURE_MALFORMED));
        if (!matches(publicKey, given, timestamp, inbound.body())) {
            throw new Refused(VerificationReason.SIGNATURE_MISMATCH);
        }
        Timestamp.judge(seconds, inbound.headReadAt(), TOLERANCE);
        return new Finding.Verified(Optional.empty());
    }

    private static boolean matches(String publicKey, byte[] given, String timestamp, byte[] body) {
        try {
            var check = Signature.getInstance("Ed25519");
            check.initVerify(key(publicKey));
            check.update(timestamp.getBytes(ISO_8859_1));
            check.update(body);
            return check.verify(given);
        } catch (InvalidKeySpecException | InvalidKeyException | SignatureException e) {
            return false; // a key that is no point of the curve, or a signature of another length
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has Ed25519", e);
        }
    }

    private static PublicKey key(String hex) throws GeneralSecurityException {
        byte[] encoded = HexFormat.of().parseHex(ENCODING_HEAD + hex);
        return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
    }
}
