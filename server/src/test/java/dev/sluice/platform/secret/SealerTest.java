package dev.sluice.platform.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.HexFormat;

class SealerTest {

    private static final byte[] MASTER_KEY =
            HexFormat.of()
                    .parseHex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    private static final String SEALING_CONTEXT = "destination:auth:1";

    private final Sealer sealer = new Sealer(MASTER_KEY, new SecretGenerator());

    @ParameterizedTest
    @ValueSource(strings = {"", "s3cret", "{\"type\":\"none\"}", "schlüssel 🔑", "with\0nul"})
    void what_was_sealed_opens_in_its_place(String text) {
        assertThat(sealer.open(sealer.seal(text, SEALING_CONTEXT), SEALING_CONTEXT))
                .isEqualTo(text);
    }

    /// The sealed value comes from another program (the Python library `cryptography`). A change of
    /// the format or of the key derivation would make existing databases unreadable.
    @Test
    void what_was_sealed_in_the_past_still_opens() {
        byte[] sealed =
                HexFormat.of()
                        .parseHex(
                                "01a0a1a2a3a4a5a6a7a8a9aaab0b1cdb80fbee2b7760a2cf7ba567ea5d6e23775dddc906aabe");

        assertThat(sealer.open(sealed, SEALING_CONTEXT)).isEqualTo("s3cret ü");
    }

    @Test
    void the_same_secret_looks_different_each_time() {
        assertThat(sealer.seal("s3cret", SEALING_CONTEXT))
                .isNotEqualTo(sealer.seal("s3cret", SEALING_CONTEXT));
        assertThat(new String(sealer.seal("s3cret", SEALING_CONTEXT), UTF_8))
                .doesNotContain("s3cret");
    }

    @Test
    void it_does_not_open_in_another_place() {
        byte[] sealed = sealer.seal("s3cret", SEALING_CONTEXT);

        assertThatExceptionOfType(Sealer.WrongKeyException.class)
                .isThrownBy(() -> sealer.open(sealed, "destination:auth:2"));
    }

    @Test
    void it_does_not_open_under_another_key() {
        byte[] other = MASTER_KEY.clone();
        other[31] ^= 1;
        byte[] sealed = sealer.seal("s3cret", SEALING_CONTEXT);

        assertThatExceptionOfType(Sealer.WrongKeyException.class)
                .isThrownBy(() ->
                        new Sealer(other, new SecretGenerator()).open(sealed, SEALING_CONTEXT));
    }

    @Test
    void a_changed_bit_anywhere_is_noticed() {
        byte[] sealed = sealer.seal("s3cret", SEALING_CONTEXT);
        for (int i = 0; i < sealed.length; i++) {
            byte[] changed = sealed.clone();
            changed[i] ^= 4;

            assertThatExceptionOfType(Sealer.WrongKeyException.class)
                    .as("byte " + i)
                    .isThrownBy(() -> sealer.open(changed, SEALING_CONTEXT));
        }
    }

    @Test
    void a_cut_value_is_noticed() {
        byte[] sealed = sealer.seal("s3cret", SEALING_CONTEXT);
        for (int length = 0; length < sealed.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(sealed, length);

            assertThatExceptionOfType(Sealer.WrongKeyException.class)
                    .as("length " + length)
                    .isThrownBy(() -> sealer.open(cut, SEALING_CONTEXT));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16, 31, 33, 64})
    void a_master_key_has_32_bytes(int length) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Sealer(new byte[length], new SecretGenerator()));
    }

    @Test
    void a_secret_is_never_shown_by_accident() {
        assertThat(new Secret("s3cret")).hasToString("***");
        assertThat("" + java.util.List.of(new Secret("s3cret"))).doesNotContain("s3cret");
    }
}
