package dev.sluice.platform.secret;

import java.security.SecureRandom;

/// Generates tokens, keys and passwords from a secure random source. Thread-safe.
public final class SecretGenerator {

    private static final String BASE62_DIGITS =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    private final SecureRandom random = new SecureRandom();

    /// Returns random letters and digits, with just under six bits of randomness per character.
    public String base62(int length) {
        var text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(BASE62_DIGITS.charAt(random.nextInt(BASE62_DIGITS.length())));
        }
        return text.toString();
    }

    public byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
