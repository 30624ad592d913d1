package dev.sluice.platform.secret;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;

import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;

/// Encrypts secrets for storage in the database, with AES-256-GCM and a key derived from the master
/// key (HKDF-SHA256, RFC 5869).
///
/// A sealed (encrypted) value consists of a version byte, a random 12-byte nonce, and the
/// ciphertext with its authentication tag. The tag also covers the context, which names the row, so
/// a sealed value cannot be moved to another row. Thread-safe.
public final class Sealer {

    public static final int MASTER_KEY_BYTES = 32;

    private static final byte FORMAT_VERSION = 1;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final byte[] HKDF_PURPOSE =
            "sluice/secrets/v1".getBytes(StandardCharsets.US_ASCII);

    private final SecretKey key;
    private final SecretGenerator random;

    /// @param master the master key, 32 bytes
    public Sealer(byte[] master, SecretGenerator random) {
        if (master.length != MASTER_KEY_BYTES) {
            throw new IllegalArgumentException(
                    "a master key must have " + MASTER_KEY_BYTES + " bytes");
        }
        try {
            var derivation =
                    HKDFParameterSpec.ofExtract().addIKM(master).thenExpand(HKDF_PURPOSE, 32);
            this.key = KDF.getInstance("HKDF-SHA256").deriveKey("AES", derivation);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        this.random = random;
    }

    /// Encrypts `text`.
    ///
    /// @param context names the table, column and row in which the value will be stored
    public byte[] seal(String text, String context) {
        byte[] nonce = random.bytes(NONCE_BYTES);
        try {
            byte[] sealed =
                    cipher(Cipher.ENCRYPT_MODE, nonce, context)
                            .doFinal(text.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.allocate(1 + NONCE_BYTES + sealed.length)
                    .put(FORMAT_VERSION)
                    .put(nonce)
                    .put(sealed)
                    .array();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Decrypts a value that was sealed with the same context.
    ///
    /// @throws WrongKeyException if the value was sealed with another master key or context, or is
    ///   damaged
    public String open(byte[] sealed, String context) {
        if (sealed.length < 1 + NONCE_BYTES || sealed[0] != FORMAT_VERSION) {
            throw new WrongKeyException();
        }
        byte[] nonce = Arrays.copyOfRange(sealed, 1, 1 + NONCE_BYTES);
        int start = 1 + NONCE_BYTES;
        try {
            var cipher = cipher(Cipher.DECRYPT_MODE, nonce, context);
            return new String(
                    cipher.doFinal(sealed, start, sealed.length - start), StandardCharsets.UTF_8);
        } catch (AEADBadTagException e) {
            throw new WrongKeyException();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private Cipher cipher(int mode, byte[] nonce, String context) throws GeneralSecurityException {
        var cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(context.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    /// Thrown when a value cannot be opened because it was sealed with another key or for another
    /// context, or is damaged.
    public static final class WrongKeyException extends RuntimeException {
        WrongKeyException() {
            super("sealed under another master key");
        }
    }
}
