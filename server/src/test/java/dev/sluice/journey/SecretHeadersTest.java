package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.List;

/// Tests `custom_headers` at rest, and `secret_headers`, whose values nobody can read.
class SecretHeadersTest {

    private static final String SECRET = "hunter2-hunter2";
    private static final String HEADERS =
            ", 'custom_headers': {'X-Team': 'orders', 'X-Key': 'hunter2-hunter2'},"
                    + " 'secret_headers': ['x-key']";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static ApiClient api = sluice.api();

    @Test
    void a_secret_header_is_sent_and_never_shown() throws IOException {
        try (var receiver = Receiver.start()) {
            var source = api.source("s");
            var created = api.destination(receiver.url(), HEADERS);
            api.connect(source, created);

            var event = api.ingest(source.text("ingest_path"), "{}");

            EventReader.delivery(api, event, "succeeded");
            assertThat(receiver.requests().getFirst().values("X-Key")).containsExactly(SECRET);
            assertThat(created.json().path("custom_headers"))
                    .hasToString("{\"X-Team\":\"orders\",\"X-Key\":\"***\"}");
            assertThat(created.json().path("secret_headers")).hasToString("[\"X-Key\"]");
            for (var shown :
                    List.of(
                            created,
                            get(created),
                            api.get("/api/v1/destinations"),
                            api.get("/api/v1/connections"),
                            patch(created, "{'name': 'n'}"))) {
                assertThat(shown.body()).doesNotContain(SECRET);
            }
        }
    }

    /// Renaming it does not unmask it.
    @Test
    void a_preview_masks_a_secret_header_under_any_name() {
        var destination = api.destination("https://example.com/", HEADERS);

        var preview =
                api.post(
                        "/api/v1/connections/preview",
                        """
                        {'destination_id': '%s', 'sample': {'body': '{}'}, 'transformation':
                          {'rename_headers': [{'from': 'X-Key', 'to': 'X-Shown'}]}}
                        """
                                .formatted(destination.text("id")));

        assertThat(preview.body())
                .contains("{\"name\":\"X-Shown\",\"value\":\"***\"}")
                .contains("{\"name\":\"X-Team\",\"value\":\"orders\"}")
                .doesNotContain(SECRET);
    }

    @Test
    void a_patch_of_something_else_keeps_them() {
        var destination = api.destination("https://example.com/", HEADERS);

        var patched = patch(destination, "{'timeout_ms': 500}");

        assertThat(patched.json().path("custom_headers"))
                .isEqualTo(destination.json().path("custom_headers"));
        assertThat(patched.json().path("secret_headers"))
                .isEqualTo(destination.json().path("secret_headers"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {'custom_headers': {'X-Key': '***', 'X-Team': 'orders'}} | custom_headers.X-Key is masked: re-enter the value, or leave custom_headers out to keep it.
                    {'custom_headers': {'X-New': '***'}}                     | custom_headers.X-New is masked: re-enter the value, or leave custom_headers out to keep it.
                    {'secret_headers': []}                                   | secret_headers must keep X-Key, or its value could be read; send custom_headers again to replace it.
                    {'secret_headers': null}                                 | secret_headers must keep X-Key, or its value could be read; send custom_headers again to replace it.
                    {'secret_headers': ['X-Team']}                           | secret_headers must keep X-Key, or its value could be read; send custom_headers again to replace it.
                    {'secret_headers': ['X-Key', 'X-Other']}                 | secret_headers.1 names no header of custom_headers.
                    {'custom_headers': null, 'secret_headers': ['X-Key']}    | secret_headers.0 names no header of custom_headers.
                    """)
    void what_would_show_or_lose_a_secret_is_refused(String json, String message) {
        var destination = api.destination("https://example.com/", HEADERS);

        var refused = patch(destination, json);

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage()).isEqualTo(message);
        assertThat(refused.body()).doesNotContain(SECRET);
        assertThat(get(destination).json()).isEqualTo(destination.json());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {'custom_headers': {'x-key': 'new', 'X-B': '1'}}                           | {"x-key":"***","X-B":"1"}        | ["x-key"]
                    {'custom_headers': {'X-B': '1'}}                                           | {"X-B":"1"}                      | []
                    {'custom_headers': {'X-Key': 'new'}, 'secret_headers': []}                 | {"X-Key":"new"}                  | []
                    {'custom_headers': null}                                                   | {}                               | []
                    {'secret_headers': ['X-TEAM', 'X-Key']}                                    | {"X-Team":"***","X-Key":"***"}   | ["X-Team","X-Key"]
                    """)
    void headers_that_are_sent_again_may_change(String json, String headers, String secret) {
        var destination = api.destination("https://example.com/", HEADERS);

        var patched = patch(destination, json);

        assertThat(patched.status()).isEqualTo(200);
        assertThat(patched.json().path("custom_headers")).hasToString(headers);
        assertThat(patched.json().path("secret_headers")).hasToString(secret);
        assertThat(get(destination).json()).isEqualTo(patched.json());
    }

    private static ApiClient.ApiResponse get(ApiClient.ApiResponse destination) {
        return api.get("/api/v1/destinations/" + destination.text("id"));
    }

    private static ApiClient.ApiResponse patch(ApiClient.ApiResponse destination, String json) {
        return api.patch("/api/v1/destinations/" + destination.text("id"), json);
    }
}
