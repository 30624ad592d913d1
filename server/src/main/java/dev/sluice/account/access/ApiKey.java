package dev.sluice.account.access;

import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.platform.secret.Sha256;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/// The format of the API keys that Sluice generates: `slk_`, then 30 random base62 characters, then
/// a 6-character checksum. A key that the operator sets with `SLUICE_ADMIN_API_KEY` can look
/// different.
///
/// The checksum is the CRC-32 of the random part, in base62. It lets a secret scanner recognize a
/// key without sending a request to Sluice.
final class ApiKey {

    private static final String BASE62_DIGITS =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final int RANDOM_LENGTH = 30;
    private static final int VISIBLE_PREFIX_LENGTH = 12;

    private ApiKey() {}

    /// Returns a new key.
    static Secret generate(SecretGenerator random) {
        return withChecksum(random.base62(RANDOM_LENGTH));
    }

    /// Returns the whole key, with `slk_` and the checksum.
    ///
    /// @param random 30 base62 characters
    static Secret withChecksum(String random) {
        var crc = new CRC32();
        crc.update(random.getBytes(StandardCharsets.US_ASCII));
        var checksum = new StringBuilder();
        for (long remaining = crc.getValue();
                checksum.length() < 6;
                remaining /= BASE62_DIGITS.length()) {
            checksum.insert(0, BASE62_DIGITS.charAt((int) (remaining % BASE62_DIGITS.length())));
        }
        return new Secret("slk_" + random + checksum);
    }

    /// Returns the first 12 characters, which stay visible after the key has been created.
    static String prefix(Secret key) {
        return key.reveal().substring(0, VISIBLE_PREFIX_LENGTH);
    }

    /// Returns the SHA-256 hash that is stored instead of the key. A fast hash is safe here because
    /// a key has too many random bits to be guessed.
    static byte[] hash(String key) {
        return Sha256.hash(key);
    }
}
