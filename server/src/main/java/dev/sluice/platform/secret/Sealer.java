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

/// Seals secrets for the database: AES-256-GCM under a key derived from the master key
/// (HKDF-SHA256).
///
/// A sealed value is a version byte, a random nonce of 12 bytes, and the ciphertext with its tag.
/// It opens only in the place it was sealed for, so it cannot be moved to another row. Safe for use
/// by many threads.
public final class Sealer {

    public static final int MASTER_KEY_BYTES = 32;

    private static final byte VERSION = 1;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final byte[] PURPOSE = "sluice/secrets/v1".getBytes(StandardCharsets.US_ASCII);

    private final SecretKey key;
    private final RandomText random;

    /// @param master 32 bytes
    public Sealer(byte[] master, RandomText random) {
        if (master.length != MASTER_KEY_BYTES) {
            throw new IllegalArgumentException("a master key has " + MASTER_KEY_BYTES + " bytes");
        }
        try {
            var derivation = HKDFParameterSpec.ofExtract().addIKM(master).thenExpand(PURPOSE, 32);
            this.key = KDF.getInstance("HKDF-SHA256").deriveKey("AES", derivation);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        this.random = random;
    }

    /// @param place names table, column and row
    public byte[] seal(String text, String place) {
        byte[] nonce = random.bytes(NONCE_BYTES);
        try {
            byte[] sealed =
                    cipher(Cipher.ENCRYPT_MODE, nonce, place)
                            .doFinal(text.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.allocate(1 + NONCE_BYTES + sealed.length)
                    .put(VERSION)
                    .put(nonce)
                    .put(sealed)
                    .array();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /// @throws WrongKey when it was sealed under another key or for another place
    public String open(byte[] sealed, String place) {
        if (sealed.length < 1 + NONCE_BYTES || sealed[0] != VERSION) {
            throw new WrongKey();
        }
        byte[] nonce = Arrays.copyOfRange(sealed, 1, 1 + NONCE_BYTES);
        int start = 1 + NONCE_BYTES;
        try {
            var cipher = cipher(Cipher.DECRYPT_MODE, nonce, place);
            return new String(
                    cipher.doFinal(sealed, start, sealed.length - start), StandardCharsets.UTF_8);
        } catch (AEADBadTagException e) {
            throw new WrongKey();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private Cipher cipher(int mode, byte[] nonce, String place) throws GeneralSecurityException {
        var cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(place.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    /// What was sealed does not open.
    public static final class WrongKey extends RuntimeException {
        WrongKey() {
            super("sealed under another master key");
        }
    }
}
