package dev.sluice.engine.accept;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.VerificationReason;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.Sha256;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/// Checks credentials that a sender transmits in full: an API key, or a user name and a password.
///
/// Credentials are compared by their SHA-256 hashes, in constant time, so that the timing does not
/// reveal how much of a credential is correct.
final class CredentialVerifier {

    private static final String BASIC_PREFIX = "Basic ";

    private CredentialVerifier() {}

    static VerificationResult checkApiKey(String header, List<Secret> keys, InboundRequest inbound)
            throws VerificationException {
        byte[] sent = singleValue(header, inbound).getBytes(ISO_8859_1);
        Optional<Secret> found = Optional.empty();
        for (var key : keys) {
            if (hashesMatch(sent, key.reveal().getBytes(UTF_8))) {
                found = Optional.of(key);
            }
        }
        if (found.isEmpty()) {
            throw new VerificationException(VerificationReason.CREDENTIAL_WRONG);
        }
        return new VerificationResult.VerificationPassed(found);
    }

    /// Checks HTTP Basic authentication (RFC 7617). The scheme name may be in upper or lower case,
    /// and the password may contain colons.
    static VerificationResult checkBasicAuth(
            String username, Secret password, InboundRequest inbound) throws VerificationException {
        String value = singleValue("Authorization", inbound);
        if (!value.regionMatches(true, 0, BASIC_PREFIX, 0, BASIC_PREFIX.length())) {
            throw new VerificationException(VerificationReason.CREDENTIAL_MALFORMED);
        }
        byte[] pair;
        try {
            pair = Base64.getDecoder().decode(value.substring(BASIC_PREFIX.length()).strip());
        } catch (IllegalArgumentException e) {
            throw new VerificationException(VerificationReason.CREDENTIAL_MALFORMED);
        }
        // The user name contains no colon, so the joined texts are equal only when both parts are.
        byte[] expected = (username + ":" + password.reveal()).getBytes(UTF_8);
        if (!hashesMatch(pair, expected)) {
            throw new VerificationException(VerificationReason.CREDENTIAL_WRONG);
        }
        return new VerificationResult.VerificationPassed(Optional.of(password));
    }

    private static String singleValue(String header, InboundRequest inbound)
            throws VerificationException {
        return inbound.singleHeader(
                header,
                VerificationReason.CREDENTIAL_MISSING,
                VerificationReason.CREDENTIAL_REPEATED);
    }

    private static boolean hashesMatch(byte[] one, byte[] other) {
        return MessageDigest.isEqual(Sha256.hash(one), Sha256.hash(other));
    }
}
