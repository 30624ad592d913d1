package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.RawHttp;
import dev.sluice.testkit.RawHttpConnection;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;

/// Tests what HTTP demands of every server (RFC 9110, RFC 9112) and what a fuzzer of the API found.
class HttpRulesTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void a_client_of_http_1_0_gets_no_100() {
        String path = api.source("old").text("ingest_path");

        try (var connection = RawHttpConnection.open(sluice.port())) {
            connection.send(
                    "POST "
                            + path
                            + " HTTP/1.0\r\nHost: h\r\nExpect: 100-continue\r\n"
                            + "Content-Length: 5\r\n\r\n");
            await().during(Duration.ofMillis(300)).until(() -> !connection.hasMore());
            connection.send("hello");

            assertThat(connection.read().status()).isEqualTo(200);
        }
    }

    @Test
    void a_304_says_nothing_of_the_length() {
        var answer =
                RawHttp.send(
                        sluice.port(),
                        "GET /api/openapi.json HTTP/1.1\r\nHost: h\r\nIf-None-Match: *\r\n\r\n");

        assertThat(answer.status()).isEqualTo(304);
        assertThat(answer.values("Content-Length")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    505 | GET / HTTP/2.0
                    505 | GET / HTTP/1.9
                    505 | PRI * HTTP/2.0
                    400 | GET / HTTP/1.1
                    """)
    void a_refused_head_is_answered_once_and_says_that_the_connection_closes(
            int status, String line) {
        var answer = RawHttp.send(sluice.port(), line + "\r\n\r\n");

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.values("Connection")).containsExactly("close");
        assertThat(answer.values("Upgrade")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Authorization", "Content-Type", "Content-Encoding"})
    void a_header_that_decides_is_sent_once(String name) {
        var request =
                api.request("/api/v1/sources")
                        .header("Content-Type", "application/json")
                        .header(name, "identity")
                        .header(name, "identity")
                        .POST(java.net.http.HttpRequest.BodyPublishers.ofString("{}"));

        var answer = api.send(request);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.errorMessage()).isEqualTo("Send the header " + name + " only once.");
    }

    @ParameterizedTest
    @CsvSource({"gzip, 415", "identity, 201", "Identity, 201", "br, 415"})
    void a_compressed_body_is_refused_as_such(String coding, int status) {
        var request =
                api.request("/api/v1/sources")
                        .header("Content-Type", "application/json")
                        .header("Content-Encoding", coding)
                        .POST(
                                java.net.http.HttpRequest.BodyPublishers.ofString(
                                        "{\"name\": \"a\"}"));

        assertThat(api.send(request).status()).isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/sources",
                "/api/v1/sources/trash",
                "/api/v1/events",
                "SOURCE/connections"
            })
    void the_text_to_search_for_has_a_limit(String path) {
        String list = path.replace("SOURCE", "/api/v1/sources/" + api.source("q").text("id"));

        var refused = api.get(list + "?q=" + "a".repeat(2001));

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage()).isEqualTo("q must have at most 2000 characters.");
        assertThat(api.get(list + "?q=" + "a".repeat(2000)).status()).isEqualTo(200);
    }

    @Test
    void a_message_quotes_whole_characters() {
        var refused =
                api.post(
                        "/api/v1/destinations",
                        "{'name': 'a', 'url': 'https://example.com/\ud83d\ude00'}");

        assertThat(refused.errorMessage())
                .isEqualTo("url must percent-encode '\ud83d\ude00' in its path and query.");
        var half =
                api.post("/api/v1/destinations", "{'name': 'a', 'url': 'https://e.com/\\ud83d'}");
        assertThat(half.status()).isEqualTo(422);
        assertThat(half.body()).doesNotContainIgnoringCase("\\ud83d").doesNotContain("?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    'filter_rules': {'operator': 'and', 'rules': [{'path': 'body.\\ud800', 'op': 'exists'}]} | filter_rules.rules.0.path
                    'filter_rules': {'operator': 'and', 'rules': [{'path': 'body.a', 'op': 'eq', 'value': ['\\udfff']}]} | filter_rules.rules.0.value.0
                    'transformation': {'merge_body_fields': {'a': {'b': 'x\\ud800'}}} | transformation.merge_body_fields.a.b
                    """)
    void half_a_surrogate_pair_is_not_stored(String field, String where) {
        var source = api.source("half");
        var destination = api.destination("https://example.com/", "");
        String ends =
                "'source_id': '%s', 'destination_id': '%s'"
                        .formatted(source.text("id"), destination.text("id"));

        var refused = api.post("/api/v1/connections", "{" + ends + ", " + field + "}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage()).isEqualTo(where + " must be valid Unicode text.");
        var connection = api.connect(source, destination);
        assertThat(
                        api.patch("/api/v1/connections/" + connection.text("id"), "{" + field + "}")
                                .errorMessage())
                .isEqualTo(where + " must be valid Unicode text.");
    }

    @Test
    void a_preview_shows_no_half_of_a_surrogate_pair() {
        var destination = api.destination("https://example.com/", "");

        var preview =
                api.post(
                        "/api/v1/connections/preview",
                        """
                        {'destination_id': '%s',
                         'filter_rules': {'operator': 'and', 'rules': [{'path': 'body.a', 'op': 'exists'}]},
                         'sample': {'body': '{\\"a\\": \\"x\\\\ud800\\\\ud83d\\\\ude00\\\\\\\\ud800\\"}'}}
                        """
                                .formatted(destination.text("id")));

        assertThat(preview.status()).isEqualTo(200);
        assertThat(preview.json().path("rules").path(0).path("actual").asString())
                .isEqualTo("x\ufffd\ud83d\ude00\\ud800");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    'username': 'a\\u0001', 'password': 'p' | username
                    'username': 'a\\u0085', 'password': 'p' | username
                    'username': 'a', 'password': 'x\\r\\n' | password
                    """)
    void basic_credentials_hold_no_control_characters(String credentials, String field) {
        String message = "%s.%s must not contain control characters (RFC 7617).";

        assertThat(
                        api.post(
                                        "/api/v1/sources",
                                        "{'name': 's', 'verification_config': {'provider':"
                                                + " 'basic_auth', "
                                                + credentials
                                                + "}}")
                                .errorMessage())
                .isEqualTo(message.formatted("verification_config", field));
        assertThat(
                        api.post(
                                        "/api/v1/destinations",
                                        "{'name': 'd', 'url': 'https://example.com/',"
                                                + " 'auth_config': {'type': 'basic_auth', "
                                                + credentials
                                                + "}}")
                                .errorMessage())
                .isEqualTo(message.formatted("auth_config", field));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sources", "destinations"})
    void a_new_status_is_not_null(String kind) {
        var refused =
                api.post(
                        "/api/v1/" + kind,
                        "{'name': 'a', 'status': null%s}"
                                .formatted(
                                        kind.equals("sources")
                                                ? ""
                                                : ", 'url': 'https://example.com/'"));

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage()).isEqualTo("status cannot be null.");
    }

    @ParameterizedTest
    @CsvSource({
        "hmac,              secret",
        "hmac,              previous_secret",
        "standard_webhooks, secret",
        "standard_webhooks, previous_secret",
    })
    void a_secret_to_sign_with_holds_no_control_characters(String type, String field) {
        String secrets =
                "'secret': 'c2VjcmV0IG9mIHRoZSB0ZXN0IQ==', 'previous_secret':"
                        + " 'b2xkZXIgc2VjcmV0IG9mIHRoZSB0ZXN0'";
        String wrong = secrets.replace("'" + field + "': '", "'" + field + "': 'a\\u009b");

        for (String good : new String[] {secrets, wrong}) {
            var answer =
                    api.post(
                            "/api/v1/destinations",
                            "{'name': 'd', 'url': 'https://example.com/', 'auth_config': {'type':"
                                    + " '%s', %s}}".formatted(type, good));

            assertThat(answer.status()).isEqualTo(good.equals(secrets) ? 201 : 422);
            assertThat(answer.errorMessage())
                    .isEqualTo(
                            good.equals(secrets)
                                    ? ""
                                    : "auth_config."
                                            + field
                                            + " must not contain control characters, nor begin or"
                                            + " end with a space.");
        }
    }

    @Test
    void a_colour_of_another_length_is_one_readable_sentence() {
        assertThat(api.post("/api/v1/sources", "{'name': 'a', 'color': '#fff'}").errorMessage())
                .isEqualTo("color must have 7 characters.");
    }

    @Test
    void a_filter_is_shown_without_the_nulls_that_count_as_left_out() {
        var source = api.source("s");
        var destination = api.destination("https://example.com/", "");
        var connection =
                api.post(
                        "/api/v1/connections",
                        """
                        {'source_id': '%s', 'destination_id': '%s',
                         'filter_rules': {'operator': 'and', 'rules': [
                           {'path': 'body.a', 'op': 'eq', 'value': null, 'operator': null, 'rules': null},
                           {'path': null, 'op': null, 'value': null, 'operator': 'or',
                            'rules': [{'path': 'body.a', 'op': 'gt', 'value': 1.10}]}]}}
                        """
                                .formatted(source.text("id"), destination.text("id")));

        assertThat(connection.status()).isEqualTo(201);
        assertThat(api.get("/api/v1/connections/" + connection.text("id")).body())
                .contains(
                        """
                        "filter_rules":{"operator":"and","rules":[\
                        {"path":"body.a","op":"eq","value":null},\
                        {"operator":"or","rules":[{"path":"body.a","op":"gt","value":1.10}]}]}\
                        """);
    }

    @Test
    void null_in_a_field_of_the_other_kind_counts_as_left_out_in_a_filter() {
        var preview =
                api.post(
                        "/api/v1/connections/preview",
                        """
                        {'destination_id': '%s', 'sample': {'body': '{}'},
                         'filter_rules': {'operator': 'and', 'rules': [
                           {'path': 'body.a', 'op': 'eq', 'value': null, 'operator': null, 'rules': null},
                           {'path': null, 'op': null, 'value': null, 'operator': 'or',
                            'rules': [{'path': 'body.a', 'op': 'exists', 'value': null}]}]}}
                        """
                                .formatted(api.destination("https://example.com/", "").text("id")));

        assertThat(preview.status()).isEqualTo(200);
        assertThat(preview.json().path("rules")).hasSize(2);
    }
}
