package dev.sluice.account.access;

import dev.sluice.platform.secret.Secret;

import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/// How passwords are kept: Argon2id (RFC 9106) with the parameters OWASP recommends, as a PHC
/// string.
final class Password {

    private static final int MEMORY_KIB = 19_456;
    private static final int PASSES = 2;
    private static final int LANES = 1;
    private static final int HASH_BYTES = 32;

    private Password() {}

    /// @param salt 16 random bytes
    static String hash(Secret password, byte[] salt) {
        var parameters =
                new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                        .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                        .withMemoryAsKB(MEMORY_KIB)
                        .withIterations(PASSES)
                        .withParallelism(LANES)
                        .withSalt(salt)
                        .build();
        var generator = new Argon2BytesGenerator();
        generator.init(parameters);
        byte[] hash = new byte[HASH_BYTES];
        generator.generateBytes(password.reveal().getBytes(StandardCharsets.UTF_8), hash);
        var base64 = Base64.getEncoder().withoutPadding();
        return "$argon2id$v=19$m="
                + MEMORY_KIB
                + ",t="
                + PASSES
                + ",p="
                + LANES
                + "$"
                + base64.encodeToString(salt)
                + "$"
                + base64.encodeToString(hash);
    }
}
