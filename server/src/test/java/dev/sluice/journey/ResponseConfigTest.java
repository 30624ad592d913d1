package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.RawHttp;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests a source's `response_config`, and the other replies below `/in/`.
class ResponseConfigTest {

    private static final String SANDBOX_POLICY = "default-src 'none'; sandbox";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void a_config_is_shown_as_it_was_sent() {
        var source = create("{'status': 202, 'content_type': 'text', 'body': 'ok'}");

        assertThat(source.json().path("response_config"))
                .hasToString("{\"status\":202,\"content_type\":\"text\",\"body\":\"ok\"}");
        assertThat(api.get("/api/v1/sources/" + source.text("id")).json()).isEqualTo(source.json());
    }

    @Test
    void what_is_left_out_is_filled_in() {
        assertThat(create("{}").json().path("response_config"))
                .hasToString("{\"status\":200,\"content_type\":\"json\",\"body\":\"\"}");
    }

    @Test
    void it_replaces_status_type_and_body_with_the_events_id_in_it() {
        var source =
                create(
                        "{'status': 202, 'content_type': 'text',"
                                + " 'body': '{{request_id}} ü {{request_id}} {{other}}'}");

        var answer = api.ingest(source.text("ingest_path"), "{}");

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.header("Content-Type")).hasValue("text/plain; charset=utf-8");
        String id = answer.body().split(" ", 2)[0];
        assertThat(answer.body()).isEqualTo(id + " ü " + id + " {{other}}");
        assertThat(api.get("/api/v1/events/" + id).status()).isEqualTo(200);
    }

    @Test
    void json_is_answered_as_json() {
        var source = create("{'status': 200, 'content_type': 'json', 'body': '[]'}");

        var answer = api.ingest(source.text("ingest_path"), "{}");

        assertThat(answer.header("Content-Type")).hasValue("application/json; charset=utf-8");
        assertThat(answer.body()).isEqualTo("[]");
    }

    @Test
    void null_restores_the_default() {
        var source = create("{'status': 418, 'content_type': 'text', 'body': 'no'}");
        assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(418);

        var patched =
                api.patch("/api/v1/sources/" + source.text("id"), "{'response_config': null}");

        assertThat(patched.json().path("response_config").isNull()).isTrue();
        var answer = api.ingest(source.text("ingest_path"), "{}");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text("status")).isEqualTo("SUCCESS");
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 205, 304})
    void these_statuses_are_sent_without_a_body(int status) {
        var source = create("{'status': " + status + ", 'body': 'not sent'}");

        var two = RawHttp.send(sluice.port(), post(source, ""));

        assertThat(two.status()).isEqualTo(status);
        assertThat(two.values("Content-Type")).isEmpty();
        assertThat(two.values("Transfer-Encoding")).isEmpty();
        assertThat(two.values("Content-Length")).isSubsetOf("0");
        assertThat(two.values("X-Content-Type-Options")).containsExactly("nosniff");
        assertThat(two.values("Content-Security-Policy")).containsExactly(SANDBOX_POLICY);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 101, 103, 199})
    void an_interim_status_is_kept_and_answered_as_200(int status) {
        var source = create("{'status': " + status + ", 'content_type': 'text', 'body': 'done'}");

        var answer = api.ingest(source.text("ingest_path"), "{}");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("done");
        assertThat(source.json().path("response_config").path("status").asInt()).isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 299, 300, 401, 404, 413, 429, 500, 599})
    void any_other_status_is_answered_as_it_is(int status) {
        var source = create("{'status': " + status + ", 'content_type': 'text', 'body': 'done'}");

        var answer = RawHttp.send(sluice.port(), post(source, "Connection: close\r\n"));

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.body()).isEqualTo("done");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {'status': 99}            | status       | must be a whole number from 100 to 599.
                    {'status': 600}           | status       | must be a whole number from 100 to 599.
                    {'status': '200'}         | status       | must be a whole number from 100 to 599.
                    {'status': 200.5}         | status       | must be a whole number from 100 to 599.
                    {'content_type': 'html'}  | content_type | must be one of json, text.
                    {'body': {}}              | body         | must be a string.
                    {'headers': {}}           | headers      | is not a known field.
                    """)
    void a_wrong_config_is_refused(String config, String field, String message) {
        var source = api.source("s");

        var refused =
                api.patch(
                        "/api/v1/sources/" + source.text("id"),
                        "{'response_config': " + config + "}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage()).isEqualTo("response_config." + field + " " + message);
    }

    @Test
    void a_body_has_at_most_64_kib() {
        assertThat(create("{'body': '" + "x".repeat(65_536) + "'}").status()).isEqualTo(201);
        assertThat(create("{'body': '" + "x".repeat(65_537) + "'}").status()).isEqualTo(422);
        assertThat(create("{'body': '" + "ü".repeat(32_769) + "'}").errorMessage())
                .isEqualTo("response_config.body must have at most 65536 bytes in UTF-8.");
    }

    @Test
    void a_refused_sender_gets_401_whatever_is_configured() {
        var source =
                api.post(
                        "/api/v1/sources",
                        "{'name': 's', 'response_config': {'status': 202}, 'verification_config':"
                                + " {'provider': 'gitlab', 'secret': 's'}}");

        assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /in/<token> HTTP/1.1\r\nHost: h",
                "HEAD /in/<token> HTTP/1.1\r\nHost: h",
                "GET /in/<token>?hub.mode=subscribe&hub.challenge=x HTTP/1.1\r\nHost: h",
                "GET /in/<token>?challenge=x HTTP/1.1\r\nHost: h",
                "GET /in/<token>?hub.mode=%ff HTTP/1.1\r\nHost: h",
                "POST /in/<token> HTTP/1.1\r\nHost: h\r\nContent-Length: 0",
                "POST /in/<token> HTTP/1.1\r\nHost: h\r\nContent-Length: 1048577",
                "POST /in/<token> HTTP/1.1\r\n"
                        + "Host: h\r\n"
                        + "Transfer-Encoding: chunked\r\n"
                        + "X: y\r\n\r\n"
                        + "z",
                "OPTIONS /in/<token> HTTP/1.1\r\nHost: h",
                "POST /in/nobody HTTP/1.1\r\nHost: h\r\nContent-Length: 0",
                "POST /in HTTP/1.1\r\nHost: h\r\nContent-Length: 0",
                "GET /in/<token> HTTP/1.1\r\nHost: h\r\nX: a\u0000b",
            })
    void nothing_below_in_can_run_in_a_browser(String request) {
        String token = api.source("s").text("token");

        var answer =
                RawHttp.send(
                        sluice.port(),
                        request.replace("<token>", token)
                                        .replaceFirst("\r\n", "\r\nConnection: close\r\n")
                                + "\r\n\r\n");

        assertThat(answer.values("X-Content-Type-Options")).containsExactly("nosniff");
        assertThat(answer.values("Content-Security-Policy")).containsExactly(SANDBOX_POLICY);
    }

    @Test
    void a_challenge_alone_is_echoed_as_text_and_not_kept() {
        var source = api.source("s");

        var answer = api.send(api.anonymous(source.text("ingest_path") + "?challenge=a%2Bb").GET());

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("a+b");
        assertThat(answer.header("Content-Type")).hasValue("text/plain; charset=utf-8");
        assertThat(answer.header("Cache-Control")).hasValue("no-store");
        assertThat(
                        api.get("/api/v1/events?source_id=" + source.text("id"))
                                .json()
                                .path("total")
                                .asInt(-1))
                .isZero();
    }

    @Test
    void a_challenge_has_at_most_2048_characters() {
        String path = api.source("s").text("ingest_path") + "?hub.mode=subscribe&hub.challenge=";

        assertThat(api.send(api.anonymous(path + "x".repeat(2048)).GET()).status()).isEqualTo(200);
        assertThat(api.send(api.anonymous(path + "x".repeat(2049)).GET()).status()).isEqualTo(400);
    }

    @Test
    void a_challenge_to_nobody_is_not_echoed() {
        var answer =
                api.send(api.anonymous("/in/nobody?hub.mode=subscribe&hub.challenge=x1y").GET());

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.body()).doesNotContain("x1y");
    }

    private static ApiClient.ApiResponse create(String config) {
        return api.post("/api/v1/sources", "{'name': 's', 'response_config': " + config + "}");
    }

    private static String post(ApiClient.ApiResponse source, String headers) {
        return "POST "
                + source.text("ingest_path")
                + " HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n"
                + headers
                + "\r\n";
    }
}
