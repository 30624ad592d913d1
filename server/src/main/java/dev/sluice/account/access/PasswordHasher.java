package dev.sluice.account.access;

import dev.sluice.platform.secret.Secret;

import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.regex.Pattern;

/// Hashes passwords, and derives keys from passphrases, with Argon2id (RFC 9106).
///
/// Passwords are hashed with the parameters that OWASP recommends.
public final class PasswordHasher {

    private static final int ARGON2_MEMORY_KIB = 19_456;
    private static final int ARGON2_ITERATIONS = 2;
    private static final int ARGON2_PARALLELISM = 1;
    private static final int HASH_BYTES = 32;

    private static final Pattern PHC_FORMAT =
            Pattern.compile(
                    "\\$argon2id\\$v=19"
                            + "\\$m=(?<memory>\\d+),t=(?<iterations>\\d+),p=(?<parallelism>\\d+)"
                            + "\\$(?<salt>[^$]+)\\$(?<hash>[^$]+)");

    private static final String CURRENT_PREFIX =
            "$argon2id$v=19$m="
                    + ARGON2_MEMORY_KIB
                    + ",t="
                    + ARGON2_ITERATIONS
                    + ",p="
                    + ARGON2_PARALLELISM
                    + "$";

    private PasswordHasher() {}

    /// Returns the hash of a password, as a string in PHC format.
    ///
    /// @param salt 16 random bytes
    public static String hash(Secret password, byte[] salt) {
        byte[] hash =
                hash(password, salt, ARGON2_MEMORY_KIB, ARGON2_ITERATIONS, ARGON2_PARALLELISM);
        var base64 = Base64.getEncoder().withoutPadding();
        return CURRENT_PREFIX + base64.encodeToString(salt) + "$" + base64.encodeToString(hash);
    }

    /// Whether the password is the one that was hashed. The check takes as long for a wrong
    /// password as for the right one.
    ///
    /// @param stored a result of `hash`, possibly from an earlier version with other parameters
    public static boolean matches(Secret password, String stored) {
        var parts = PHC_FORMAT.matcher(stored);
        if (!parts.matches()) {
            throw new IllegalArgumentException("not a hash of Argon2id in PHC format");
        }
        var base64 = Base64.getDecoder();
        return MessageDigest.isEqual(
                base64.decode(parts.group("hash")),
                hash(
                        password,
                        base64.decode(parts.group("salt")),
                        Integer.parseInt(parts.group("memory")),
                        Integer.parseInt(parts.group("iterations")),
                        Integer.parseInt(parts.group("parallelism"))));
    }

    /// Whether a result of `hash` was made with the current parameters.
    public static boolean isCurrent(String stored) {
        return stored.startsWith(CURRENT_PREFIX);
    }

    /// The Argon2id parameters, which determine how much memory and time it takes to derive a key.
    public record KeyCost(int memoryKib, int iterations, int parallelism) {

        /// The second option that RFC 9106, section 4, recommends. It is deliberately costlier than
        /// hashing a password: an attacker who has obtained a file that the key protects can try
        /// passphrases for years. The server can afford it, because it derives only a few keys at a
        /// time.
        public static final KeyCost DEFAULT = new KeyCost(65_536, 3, 4);
    }

    /// Derives a 32-byte key from a passphrase.
    public static byte[] key(Secret passphrase, byte[] salt, KeyCost cost) {
        return hash(passphrase, salt, cost.memoryKib(), cost.iterations(), cost.parallelism());
    }

    private static byte[] hash(
            Secret password, byte[] salt, int memoryKib, int iterations, int parallelism) {
        var parameters =
                new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                        .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                        .withMemoryAsKB(memoryKib)
                        .withIterations(iterations)
                        .withParallelism(parallelism)
                        .withSalt(salt)
                        .build();
        var generator = new Argon2BytesGenerator();
        generator.init(parameters);
        byte[] hash = new byte[HASH_BYTES];
        generator.generateBytes(password.reveal().getBytes(StandardCharsets.UTF_8), hash);
        return hash;
    }
}
