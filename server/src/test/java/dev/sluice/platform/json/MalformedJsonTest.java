package dev.sluice.platform.json;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.Charset;

/// Bodies of the management API that are not JSON: each is refused as such, whatever the parser
/// makes of it.
class MalformedJsonTest {

    private static void assertRefused(byte[] body, String message) {
        assertThatExceptionOfType(MalformedJsonException.class)
                .isThrownBy(() -> Json.fieldReader(body))
                .withMessage(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e99999999999", "-1e99999999999", "1e-99999999999", "0e2147483648"})
    void a_number_whose_exponent_has_more_than_32_bits_is_refused(String number) {
        assertRefused(
                ("{\"timeout_ms\": " + number + "}").getBytes(UTF_8),
                "The body has a number whose exponent does not fit into 32 bits.");
    }

    @Test
    void the_message_names_the_place_and_quotes_nothing_of_the_body() {
        assertRefused(
                "{\n \"secret\": whsec_abc}".getBytes(UTF_8),
                "The body is not valid JSON: see line 2, column 12.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE"})
    void only_utf_8_is_json(String charset) {
        assertRefused(
                "{\"name\": \"a\"}".getBytes(Charset.forName(charset)),
                "The body must be JSON in UTF-8, without a byte order mark.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u00c0\u00af", "\u00ed\u00a0\u0080", "\u00ff"})
    void bytes_that_are_not_utf_8_are_refused(String bytes) {
        assertRefused(
                ("{\"name\": \"" + bytes + "\"}").getBytes(ISO_8859_1),
                "The body must be JSON in UTF-8, without a byte order mark.");
    }
}
