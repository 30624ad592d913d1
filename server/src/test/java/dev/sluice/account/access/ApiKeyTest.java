package dev.sluice.account.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.secret.SecretGenerator;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.HexFormat;

class ApiKeyTest {

    private static final String RANDOM_PART = "0123456789ABCDEFGHIJabcdefghij";

    @Test
    void a_key_ends_with_a_checksum_of_its_random_part() {
        assertThat(ApiKey.withChecksum(RANDOM_PART).reveal())
                .isEqualTo("slk_" + RANDOM_PART + "4Us3aw");
    }

    @Test
    void a_small_checksum_is_filled_up_with_zeros() {
        var random = new SecretGenerator();
        for (int i = 0; i < 1_000; i++) {
            assertThat(ApiKey.withChecksum(random.base62(30)).reveal())
                    .matches("slk_[0-9A-Za-z]{36}");
        }
    }

    @Test
    void twelve_characters_of_a_key_stay_visible() {
        assertThat(ApiKey.prefix(ApiKey.withChecksum(RANDOM_PART))).isEqualTo("slk_01234567");
    }

    @Test
    void what_is_stored_is_the_sha_256_of_the_whole_key() {
        assertThat(HexFormat.of().formatHex(ApiKey.hash("slu_" + RANDOM_PART + "4Us3aw")))
                .isEqualTo("39545e1f8787f46b87f2a97a4d57c0d095ae528c1d9dc3c230b8bf939c3d667f");
    }

    @Test
    void random_text_uses_all_62_characters_and_does_not_repeat() {
        var random = new SecretGenerator();
        var seen = new HashSet<Integer>();
        var texts = new HashSet<String>();
        for (int i = 0; i < 500; i++) {
            String text = random.base62(30);
            text.chars().forEach(seen::add);
            texts.add(text);
        }

        assertThat(seen).hasSize(62);
        assertThat(texts).hasSize(500);
    }
}
