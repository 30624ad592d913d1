package dev.sluice.cli.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.shell.JsonTree;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests events as a hostile server sends them.
class StoredEventTest {

    private static final String EVENT =
            """
            {"id": "01-a", "method": "POST", "body": "a",
             "header_list": [{"name": "X-Name", "value": "v"}]}
            """;

    @ParameterizedTest
    @ValueSource(strings = {"", "\"value\": \"é ü\"", "\"value_base64\": \"/w==\""})
    void event_with_any_other_header_value_has_no_fault(String value) {
        assertThat(faultOf(value.isEmpty() ? EVENT : EVENT.replace("\"value\": \"v\"", value)))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    "01-a"         | ""                                | its id is not valid
                    "01-a"         | "../a"                            | its id is not valid
                    "01-a"         | "1\\r\\nA: b"                     | its id is not valid
                    "POST"         | ""                                | its method is not valid
                    "POST"         | "GET /a HTTP/1.1\\r\\n\\r\\nPOST" | its method is not valid
                    "X-Name"       | "X\\r\\nY"                        | the name of a header is not valid
                    "X-Name"       | "X:"                              | the name of a header is not valid
                    "value": "v"   | "value": "v\\r\\nY: z"            | its header X-Name has a line break or NUL
                    "value": "v"   | "value": "v\\u0000"               | its header X-Name has a line break or NUL
                    "value": "v"   | "value_base64": "DQo="            | its header X-Name has a line break or NUL
                    "value": "v"   | "value_base64": "?"               | its headers or body are not valid Base64
                    "body": "a"    | "body_base64": "?"                | its headers or body are not valid Base64
                    """)
    void event_that_would_be_more_than_one_request_has_a_fault(
            String part, String hostile, String fault) {
        assertThat(faultOf(EVENT.replace(part, hostile))).isEqualTo(fault);
    }

    private static String faultOf(String json) {
        return StoredEvent.read(JsonTree.read(json)).fault().orElse("");
    }
}
