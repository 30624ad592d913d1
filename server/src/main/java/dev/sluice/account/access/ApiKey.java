package dev.sluice.account.access;

import dev.sluice.platform.secret.Secret;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32;

/// The text of an API key: `slk_`, 30 random base62 characters, and 6 of their checksum, which lets
/// a scanner tell a key from other text without asking us.
final class ApiKey {

    private static final String DIGITS =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final int SHOWN = 12;

    private ApiKey() {}

    /// @param random 30 base62 characters
    static Secret of(String random) {
        var crc = new CRC32();
        crc.update(random.getBytes(StandardCharsets.US_ASCII));
        var checksum = new StringBuilder();
        for (long rest = crc.getValue(); checksum.length() < 6; rest /= DIGITS.length()) {
            checksum.insert(0, DIGITS.charAt((int) (rest % DIGITS.length())));
        }
        return new Secret("slk_" + random + checksum);
    }

    /// What stays visible of a key.
    static String prefix(Secret key) {
        return key.reveal().substring(0, SHOWN);
    }

    /// What is stored of a key. It has too many random bits to be guessed, so the hash need not be
    /// slow.
    static byte[] hash(String key) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
