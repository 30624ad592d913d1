package dev.sluice.platform.secret;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// Computes SHA-256 hashes. Throws no checked exception, because every JDK includes the algorithm.
public final class Sha256 {

    private Sha256() {}

    public static byte[] hash(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /// Returns the hash of the text's UTF-8 bytes.
    public static byte[] hash(String text) {
        return hash(text.getBytes(StandardCharsets.UTF_8));
    }
}
