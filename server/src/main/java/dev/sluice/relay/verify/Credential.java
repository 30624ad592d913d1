package dev.sluice.relay.verify;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.secret.Secret;
import dev.sluice.relay.VerificationReason;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/// Secrets that are sent as they stand. What is compared are their hashes, in constant time, so
/// that not even a length shows.
final class Credential {

    private static final String BASIC = "Basic ";

    private Credential() {}

    static Finding key(String header, List<Secret> keys, Inbound inbound) throws Refused {
        byte[] sent = value(header, inbound).getBytes(ISO_8859_1);
        Optional<Secret> found = Optional.empty();
        for (var key : keys) {
            if (isSame(sent, key.reveal().getBytes(UTF_8))) {
                found = Optional.of(key);
            }
        }
        if (found.isEmpty()) {
            throw new Refused(VerificationReason.CREDENTIAL_WRONG);
        }
        return new Finding.Verified(found);
    }

    /// RFC 7617: the scheme's name in any case; the password may hold colons.
    static Finding basic(String username, Secret password, Inbound inbound) throws Refused {
        String value = value("Authorization", inbound);
        if (!value.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            throw new Refused(VerificationReason.CREDENTIAL_MALFORMED);
        }
        byte[] pair;
        try {
            pair = Base64.getDecoder().decode(value.substring(BASIC.length()).strip());
        } catch (IllegalArgumentException e) {
            throw new Refused(VerificationReason.CREDENTIAL_MALFORMED);
        }
        // The user name holds no colon, so the pairs are equal when both parts are.
        byte[] expected = (username + ":" + password.reveal()).getBytes(UTF_8);
        if (!isSame(pair, expected)) {
            throw new Refused(VerificationReason.CREDENTIAL_WRONG);
        }
        return new Finding.Verified(Optional.of(password));
    }

    private static String value(String header, Inbound inbound) throws Refused {
        return inbound.only(
                header,
                VerificationReason.CREDENTIAL_MISSING,
                VerificationReason.CREDENTIAL_REPEATED);
    }

    private static boolean isSame(byte[] one, byte[] other) {
        return MessageDigest.isEqual(sha256(one), sha256(other));
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
