package dev.sluice.platform.secret;

import java.security.SecureRandom;

/// Makes tokens, keys and passwords that cannot be guessed. Safe for use by many threads.
public final class RandomText {

    private static final String DIGITS =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    private final SecureRandom random = new SecureRandom();

    /// Just under six random bits a character.
    public String base62(int length) {
        var text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(DIGITS.charAt(random.nextInt(DIGITS.length())));
        }
        return text.toString();
    }

    public byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
