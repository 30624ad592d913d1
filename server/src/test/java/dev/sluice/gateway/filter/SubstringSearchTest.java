package dev.sluice.gateway.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.Random;

class SubstringSearchTest {

    @ParameterizedTest
    @CsvSource({"'abc', 'b', true", "'abc', 'd', false", "'', 'a', false", "'a', '', true"})
    void short_parts_are_found(String text, String part, boolean isThere) {
        assertThat(SubstringSearch.of(part).isIn(text)).isEqualTo(isThere);
    }

    @Test
    void long_parts_are_found_where_the_jdk_finds_them() {
        var random = new Random(7);
        for (int round = 0; round < 20_000; round++) {
            String text = letters(random, 40 + random.nextInt(80));
            String part =
                    random.nextBoolean()
                            ? text.substring(random.nextInt(4), text.length() - random.nextInt(4))
                            : letters(random, 33 + random.nextInt(8));

            assertThat(SubstringSearch.of(part).isIn(text)).isEqualTo(text.contains(part));
        }
    }

    private static String letters(Random random, int length) {
        var text = new StringBuilder();
        for (int at = 0; at < length; at++) {
            text.append(random.nextInt(8) == 0 ? 'b' : 'a');
        }
        return text.toString();
    }

    @Test
    void a_text_made_to_be_slow_is_not() {
        String text = "a".repeat(1 << 20);
        String part = "a".repeat(4_000) + "b" + "a".repeat(4_000);

        assertTimeoutPreemptively(
                Duration.ofSeconds(2),
                () -> assertThat(SubstringSearch.of(part).isIn(text)).isFalse());
    }
}
