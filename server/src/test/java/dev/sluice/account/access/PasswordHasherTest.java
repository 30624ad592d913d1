package dev.sluice.account.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.secret.Secret;

import org.junit.jupiter.api.Test;

import java.util.HexFormat;

class PasswordHasherTest {

    private static final byte[] SALT = HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f");

    /// The expected hash comes from another program, the `cryptography` library of Python.
    @Test
    void a_password_is_kept_as_an_argon2id_phc_string() {
        assertThat(PasswordHasher.hash(new Secret("correct horse ü"), SALT))
                .isEqualTo(
                        "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw"
                                + "$x9v3p23uUJTUNbnjk60kzVB+JEfw5iczjG5Zw6kqvGU");
    }

    @Test
    void another_salt_makes_another_hash() {
        byte[] other = SALT.clone();
        other[0] = 1;

        assertThat(PasswordHasher.hash(new Secret("correct horse ü"), other))
                .isNotEqualTo(PasswordHasher.hash(new Secret("correct horse ü"), SALT));
    }
}
