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

import java.net.http.HttpRequest;

class ErrorEnvelopeTest {

    private static final String UUID_PATTERN =
            "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/me",
                "/api/v1/sources",
                "/api/v1/destinations",
                "/api/v1/connections",
                "/api/v1/events",
                "/api/v1/events/018f0000-0000-7000-8000-000000000000"
            })
    void without_a_key_it_is_401(String path) {
        var answer = api.send(api.anonymous(path).GET());

        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.errorCode()).isEqualTo("unauthorized");
        assertThat(answer.header("WWW-Authenticate")).hasValue("Bearer");
        assertThat(answer.errorMessage())
                .isEqualTo("Send an API key as Authorization: Bearer <key>.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Bearer",
                "Bearer ",
                "Basic YTpi",
                "Bearer slk_unknown",
                "Bearer a b",
                "slk_unknown"
            })
    void a_malformed_or_unknown_key_is_401(String authorization) {
        var answer =
                api.send(api.anonymous("/api/v1/me").header("Authorization", authorization).GET());

        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.errorCode()).isEqualTo("unauthorized");
        assertThat(answer.header("WWW-Authenticate")).hasValue("Bearer");
    }

    @Test
    void the_scheme_of_a_key_may_be_in_any_case() {
        var answer =
                api.send(
                        api.anonymous("/api/v1/me")
                                .header("Authorization", "bearer " + RunningSluice.API_KEY)
                                .GET());

        assertThat(answer.status()).isEqualTo(200);
    }

    @Test
    void a_wrong_key_is_refused_before_a_wrong_body() {
        var answer =
                api.send(
                        api.anonymous("/api/v1/sources")
                                .POST(HttpRequest.BodyPublishers.ofString("not json")));

        assertThat(answer.status()).isEqualTo(401);
    }

    /// A proxy in front may have looked at the other one.
    @ParameterizedTest
    @ValueSource(strings = {"Authorization: Bearer x", "authorization: ", "Content-Type: text/xml"})
    void a_header_that_decides_and_comes_twice_is_400(String second) {
        var answer =
                RawHttp.send(
                        sluice.port(),
                        "POST /api/v1/sources/ HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "
                                + RunningSluice.API_KEY
                                + "\r\nContent-Type: application/json\r\n"
                                + second
                                + "\r\nContent-Length: 13\r\n\r\n{\"name\": \"s\"}");

        assertThat(answer.status()).isEqualTo(400);
        String name = second.startsWith("C") ? "Content-Type" : "Authorization";
        assertThat(answer.body()).contains("Send the header " + name + " only once.");
    }

    @Test
    void a_body_that_is_not_sent_as_json_is_415() {
        var answer =
                api.send(
                        api.request("/api/v1/sources")
                                .header("Content-Type", "text/plain")
                                .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"s\"}")));
        var without =
                api.send(
                        api.request("/api/v1/sources")
                                .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"s\"}")));

        assertThat(answer.status()).isEqualTo(415);
        assertThat(answer.errorCode()).isEqualTo("unsupported_media_type");
        assertThat(without.status()).isEqualTo(415);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{'name': 'a'",
                "{'name': 'a'} {}",
                "{'name': 'a', 'name': 'b'}",
                "[]",
                "null",
                "'text'",
                "{name: 1}",
                "{'name': NaN}"
            })
    void a_body_that_is_no_json_object_is_400(String body) {
        var answer = api.post("/api/v1/sources", body);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.errorCode()).isEqualTo("malformed_request");
        assertThat(answer.errorMessage()).startsWith("The body ");
    }

    @Test
    void json_nested_too_deeply_is_400() {
        var answer = api.post("/api/v1/sources", "{'name': " + "[".repeat(100_000));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.errorCode()).isEqualTo("malformed_request");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{]",
                "{'name': [",
                "{'name': {'a'",
                "{'name': 1DIGITS}",
                "{'name': DEEP",
                "{'name': 'LONG"
            })
    void what_is_wrong_with_the_json_is_said_without_naming_the_library(String body) {
        String sent =
                body.replace("DIGITS", "0".repeat(5_000))
                        .replace("DEEP", "[".repeat(5_000))
                        .replace("LONG", "x".repeat(100));

        var answer = api.post("/api/v1/sources", sent);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.errorMessage())
                .startsWith("The body is not valid JSON")
                .doesNotContain("Stream", "Source", "REDACTED", "jackson", "`");
    }

    @Test
    void a_management_body_may_have_256_kib_and_no_byte_more() {
        String most = "{\"name\":\"s\"}" + " ".repeat(256 * 1024 - 12);

        assertThat(api.post("/api/v1/sources", most).status()).isEqualTo(201);
        var refused = api.post("/api/v1/sources", most + " ");
        assertThat(refused.status()).isEqualTo(413);
        assertThat(refused.errorCode()).isEqualTo("payload_too_large");
        assertThat(refused.errorMessage()).isEqualTo("The body is larger than 262144 bytes.");
    }

    @Test
    void every_wrong_field_is_named() {
        var answer =
                api.post(
                        "/api/v1/destinations",
                        "{'name': 7, 'url': 'ftp://x/', 'timeout_ms': 0,"
                                + " 'auth_config': {'type': 'hmac'}, 'colour': 'red'}");

        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.errorCode()).isEqualTo("validation_failed");
        assertThat(answer.errorMessage()).isEqualTo("name must be a string. (and 4 more)");
        assertThat(
                        answer.json()
                                .path("error")
                                .path("details")
                                .valueStream()
                                .map(detail -> detail.path("field").asString()))
                .containsExactly("name", "url", "timeout_ms", "auth_config.secret", "colour");
    }

    @ParameterizedTest
    @CsvSource({
        "limit=201, 422, validation_failed, limit must be from 1 to 200.",
        "limit=0,   422, validation_failed, limit must be from 1 to 200.",
        "page=0,    422, validation_failed, page must be from 1 to 10000000.",
        "page=-1,   422, validation_failed, page must be from 1 to 10000000.",
        "page=one,  400, malformed_request, page must be a whole number.",
        "limit=1.5, 400, malformed_request, limit must be a whole number.",
        "limit=99999999999, 422, validation_failed, limit must be from 1 to 200.",
        "limit=-99999999999999999999, 422, validation_failed, limit must be from 1 to 200.",
        "page=99999999999999999999, 422, validation_failed, page must be from 1 to 10000000.",
    })
    void a_page_that_cannot_be_is_refused(String query, int status, String code, String message) {
        for (String list : new String[] {"sources", "destinations", "connections", "events"}) {
            var answer = api.get("/api/v1/" + list + "?" + query);

            assertThat(answer.status()).as(list).isEqualTo(status);
            assertThat(answer.errorCode()).isEqualTo(code);
            assertThat(answer.errorMessage()).isEqualTo(message);
            assertThat(answer.json().path("error").path("details"))
                    .extracting(detail -> detail.path("message").asString())
                    .containsExactly(message);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "sources?page=0&limit=201&q=%00,             400, page limit q",
        "sources/trash?page=0&limit=201&q=%00,       400, page limit q",
        "destinations?page=0&limit=201,              422, page limit",
        "connections?page=x&limit=201,               400, page limit",
        "events?verification_status=x&limit=500&page=0, 422, verification_status page limit",
        "events?limit=0&source_id=x&received_after=y&received_before=z&q=%00,"
                + " 400, source_id received_after received_before q limit",
    })
    void every_wrong_parameter_of_a_list_is_named(String list, int status, String fields) {
        var answer = api.get("/api/v1/" + list);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.errorMessage()).endsWith("more)");
        assertThat(answer.json().path("error").path("details"))
                .extracting(detail -> detail.path("field").asString())
                .containsExactly(fields.split(" ", -1));
    }

    @Test
    void every_wrong_parameter_of_a_sources_connections_is_named() {
        String id = api.source("s").text("id");

        var answer = api.get("/api/v1/sources/" + id + "/connections?page=0&limit=201");

        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.json().path("error").path("details")).hasSize(2);
    }

    @Test
    void of_very_many_wrong_fields_a_hundred_are_named() {
        var body = new StringBuilder("{'name': 's'");
        for (int i = 0; i < 10_000; i++) {
            body.append(", 'x").append(i).append("': 1");
        }

        var answer = api.post("/api/v1/sources", body + "}");

        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.errorMessage()).isEqualTo("x0 is not a known field. (and 9999 more)");
        assertThat(answer.json().path("error").path("details")).hasSize(100);
    }

    @Test
    void the_last_page_that_can_be_asked_for_is_empty() {
        var answer = api.get("/api/v1/events?page=10000000&limit=200");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().path("items")).isEmpty();
    }

    @Test
    void unknown_query_parameters_are_ignored() {
        assertThat(api.get("/api/v1/sources?colour=red&page=1&&x").status()).isEqualTo(200);
    }

    @Test
    void a_query_that_cannot_be_decoded_is_400_with_the_envelope() {
        var answer =
                RawHttp.send(
                        sluice.port(),
                        get(
                                "/api/v1/sources?q=%zz",
                                "Authorization: Bearer " + RunningSluice.API_KEY));

        assertThat(answer.status()).isEqualTo(400);
        isEnvelope(answer, "malformed_request");
    }

    @Test
    void a_source_id_filter_that_is_no_uuid_is_400() {
        var answer = api.get("/api/v1/events?source_id=shop");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.errorMessage()).isEqualTo("source_id must be a UUID.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/api",
                "/api/v1",
                "/api/v1/nothing",
                "/api/v2/sources",
                "/api/v1/sources/not-a-uuid",
                "/api/v1/destinations/7",
                "/api/v1/connections/x",
                "/api/v1/events/x",
                "/api/v1/events/018f0000-0000-7000-8000-000000000001"
            })
    void a_path_that_names_nothing_is_404(String path) {
        var answer = api.get(path);

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.errorCode()).isEqualTo("not_found");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    PUT     | /api/v1/sources  | GET, HEAD, POST
                    DELETE  | /api/v1/sources/ | GET, HEAD, POST
                    OPTIONS | /api/v1/sources  | GET, HEAD, POST
                    POST    | /api/v1/events   | GET, HEAD
                    PUT     | /api/v1/sources/018f0000-0000-7000-8000-000000000000 | DELETE, GET, HEAD, PATCH
                    OPTIONS | /api/v1/sources/trash       | GET, HEAD
                    PATCH   | /api/v1/sources/trash       | GET, HEAD
                    GET     | /api/v1/connections/preview | POST
                    BREW    | /api/v1/me       | GET, HEAD
                    """)
    void a_method_that_a_path_has_not_is_405(String method, String path, String allow) {
        var answer =
                api.send(api.request(path).method(method, HttpRequest.BodyPublishers.noBody()));

        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.errorCode()).isEqualTo("method_not_allowed");
        assertThat(answer.header("Allow")).hasValue(allow);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/me", "/api/v1/status", "/api/v1/plans", "/api/v1/sources"})
    void a_trailing_slash_makes_no_difference(String path) {
        assertThat(api.get(path).status()).isEqualTo(200);
        assertThat(api.get(path + "/").status()).isEqualTo(200);
    }

    @Test
    void head_answers_as_get_without_the_body() {
        var get = api.get("/api/v1/me");
        var head =
                RawHttp.send(
                        sluice.port(),
                        "HEAD /api/v1/me HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                                + "Authorization: Bearer "
                                + RunningSluice.API_KEY
                                + "\r\n\r\n");

        assertThat(head.status()).isEqualTo(200);
        assertThat(head.values("Content-Length"))
                .containsExactly(Integer.toString(get.body().length()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NONSENSE\r\n\r\n",
                "GET /api/v1/me HTTP/1.1\r\n\r\n",
                "GET /api/v1/me HTTP/1.1\r\nHost: h\r\nbad header: x\r\n\r\n",
                "GET /api/v1/me HTTP/1.1\r\nHost: h\r\nX: a\r\n folded\r\n\r\n",
                "GET /api/v1/me HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET /api/v1/%2e%2e/me HTTP/1.1\r\nHost: h\r\n\r\n",
                "GET /api/v1/sources/a%2Fb HTTP/1.1\r\nHost: h\r\n\r\n",
                "POST /in/x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "POST /in/x HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
            })
    void what_is_not_http_is_400_with_the_envelope(String request) {
        var answer = RawHttp.send(sluice.port(), request);

        assertThat(answer.status()).isEqualTo(400);
        isEnvelope(answer, "malformed_request");
    }

    @Test
    void a_body_with_two_lengths_is_400_with_the_envelope() {
        var answer =
                RawHttp.send(
                        sluice.port(),
                        String.join(
                                "\r\n",
                                "POST /in/x HTTP/1.1",
                                "Host: h",
                                "Content-Length: 5",
                                "Transfer-Encoding: chunked",
                                "",
                                "0",
                                "",
                                ""));

        assertThat(answer.status()).isEqualTo(400);
        isEnvelope(answer, "malformed_request");
    }

    @Test
    void headers_over_32_kib_are_431_with_the_envelope() {
        var answer = RawHttp.send(sluice.port(), get("/api/v1/me", "X: " + "a".repeat(33_000)));

        assertThat(answer.status()).isEqualTo(431);
        isEnvelope(answer, "headers_too_large");
    }

    @Test
    void chunks_that_are_none_are_400_with_the_envelope() {
        var source = api.source("chunks");

        var answer =
                RawHttp.send(
                        sluice.port(),
                        "POST "
                                + source.text("ingest_path")
                                + " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                                + "zz\r\nhello\r\n0\r\n\r\n");

        assertThat(answer.status()).isEqualTo(400);
        isEnvelope(answer, "malformed_request");
    }

    @Test
    void every_answer_has_an_id_of_its_own() {
        var source = api.source("ids");
        var ids =
                java.util.stream.Stream.of(
                                api.get("/api/v1/me"),
                                api.get("/api/v1/status"),
                                api.get("/nowhere"),
                                api.post("/api/v1/sources", "{"),
                                api.send(api.anonymous("/api/v1/me").GET()),
                                api.ingest(source.text("ingest_path"), "{}"),
                                api.ingest("/in/nobody", "{}"),
                                api.get(source.text("ingest_path")),
                                api.delete("/api/v1/sources/" + source.text("id")))
                        .map(answer -> answer.header("X-Request-Id").orElse("none"))
                        .toList();

        assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id.matches(UUID_PATTERN));
    }

    @Test
    void the_envelope_is_json_and_nothing_else() {
        var answer = api.get("/nowhere");

        assertThat(answer.header("Content-Type")).hasValue("application/json; charset=utf-8");
        assertThat(answer.body())
                .isEqualTo(
                        "{\"error\":{\"code\":\"not_found\","
                                + "\"message\":\"There is nothing at this path.\"}}");
    }

    private static String get(String path, String header) {
        return "GET "
                + path
                + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                + header
                + "\r\n\r\n";
    }

    private static void isEnvelope(RawHttp.RawHttpResponse answer, String code) {
        assertThat(answer.values("Content-Type"))
                .containsExactly("application/json; charset=utf-8");
        assertThat(answer.body())
                .startsWith("{\"error\":{\"code\":\"" + code + "\",\"message\":\"");
        assertThat(answer.values("X-Request-Id"))
                .hasSize(1)
                .allMatch(id -> id.matches(UUID_PATTERN));
    }
}
