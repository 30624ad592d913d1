package dev.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.platform.http.Header;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

class PayloadTest {

    static Stream<List<Header>> headers() {
        var many = new ArrayList<Header>();
        for (int i = 0; i < 500; i++) {
            many.add(new Header("X-Repeat", "value " + i));
        }
        return Stream.of(
                List.of(),
                List.of(new Header("Content-Type", "application/json")),
                List.of(new Header("Empty", ""), new Header("After", "x"), new Header("Last", "")),
                List.of(new Header("Colons", "a: b: c"), new Header("Url", "http://h:80/: ")),
                List.of(new Header("Colon", ":"), new Header("Spaces", " : ")),
                List.of(new Header("same", "1"), new Header("Same", "2"), new Header("same", "1")),
                List.of(new Header("Bytes", everyByteAHeaderMayHold())),
                List.of(new Header("!#$%&'*+-.^_`|~", "token characters")),
                many);
    }

    /// All but NUL, CR and LF.
    private static String everyByteAHeaderMayHold() {
        var text = new StringBuilder();
        for (char c = 1; c <= 0xff; c++) {
            if (c != '\r' && c != '\n') {
                text.append(c);
            }
        }
        return text.toString();
    }

    @ParameterizedTest
    @MethodSource("headers")
    void headers_come_back_as_they_went_in(List<Header> headers) {
        var payload = Payload.of(headers, new byte[0]);

        assertThat(payload.headers()).isEqualTo(headers);
        assertThat(Payload.fromStored(payload.headerLines(), payload.body()).headers())
                .isEqualTo(headers);
    }

    @Test
    void headers_are_kept_as_lines_as_on_the_wire() {
        var payload = Payload.of(List.of(new Header("A", "1"), new Header("B", "é")), new byte[0]);

        assertThat(new String(payload.headerLines(), ISO_8859_1)).isEqualTo("A: 1\r\nB: é\r\n");
    }

    @Test
    void a_body_is_any_bytes_and_counts_with_the_headers() {
        byte[] body = {0, 1, (byte) 0xff, '\r', '\n', 0};
        var payload = Payload.fromStored("A: 1\r\n".getBytes(ISO_8859_1), body);

        assertThat(payload.body()).isEqualTo(body);
        assertThat(payload.memoryBytes()).isEqualTo(12);
    }

    @Test
    void headers_that_are_kept_as_objects_count_with_what_those_take() {
        var payload = Payload.of(List.of(new Header("A", "1")), new byte[6]);

        assertThat(payload.memoryBytes()).isEqualTo(12 + 128);
    }
}
