package dev.sluice.history.events;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;

class EventTypeTest {

    private static final String NO_HEADER = "Content-Type: application/json\r\n";

    private static String type(String headers, String body) {
        return EventType.of(headers.getBytes(UTF_8), body.getBytes(UTF_8)).orElse("none");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {"type":"order.created","event":"other"}  | order.created
                    {"event":"contact.merged","topic":"other"}| contact.merged
                    {"action":"opened","topic":"other"}       | opened
                    {"topic":"orders/paid"}                   | orders/paid
                    {"data":{"type":"inner"},"type":"outer"}  | outer
                    {"list":[{"type":"inner"}]}               | none
                    {"type":7,"event":"of the number"}        | of the number
                    {"type":"  "}                             | none
                    {"type":"a","type":"b"}                   | b
                    {"type":"cut off                          | none
                    {"type":"whole","rest":                   | whole
                    {"type":"h\\u00f6her"}                    | höher
                    ["type"]                                  | none
                    not JSON                                  | none
                    """)
    void the_body_says_what_it_is(String body, String expected) {
        assertThat(type(NO_HEADER, body)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    X-GitHub-Event: push       | {"ref":"main"}       | push
                    X-GitHub-Event: issues     | {"action":"opened"}  | issues.opened
                    X-Shopify-Topic: paid      | {"id":1}             | paid
                    ce-type: com.example.moved | not JSON             | com.example.moved
                    X-Event-Type: header       | {"type":"body"}      | body
                    X-Note: nothing            | {"id":1}             | none
                    X-Event-Type:              | {"id":1}             | none
                    """)
    void else_a_header_says_it(String header, String body, String expected) {
        assertThat(type(NO_HEADER + header + (header.endsWith(":") ? " " : "") + "\r\n", body))
                .isEqualTo(expected);
    }

    @Test
    void a_header_that_is_cut_off_does_not_count() {
        assertThat(type("X-Event-Type: order.crea", "")).isEqualTo("none");
    }

    @Test
    void it_is_cut_where_it_is_long_and_has_no_half_of_a_surrogate_pair() {
        assertThat(type(NO_HEADER, "{\"type\":\"" + "é".repeat(300) + "\"}"))
                .isEqualTo("é".repeat(200));
        assertThat(type(NO_HEADER, "{\"type\":\"a\\ud83d\"}")).isEqualTo("a\ufffd");
    }

    @Test
    void a_body_that_ends_within_a_character_still_says_it() {
        byte[] body = "{\"type\":\"order\",\"note\":\"é".getBytes(UTF_8);
        assertThat(EventType.of(new byte[0], Arrays.copyOf(body, body.length - 1)))
                .hasValue("order");
    }

    @Test
    void bytes_that_are_no_text_have_no_type() {
        assertThat(EventType.of(new byte[0], new byte[] {0, 1, (byte) 0xff, 0})).isEmpty();
        assertThat(EventType.of(new byte[0], new byte[0])).isEmpty();
    }
}
