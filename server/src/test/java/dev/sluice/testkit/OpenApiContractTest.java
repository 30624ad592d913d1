package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Tests that the contract check catches wrong responses.
class OpenApiContractTest {

    private static final String JSON_CONTENT_TYPE = "application/json; charset=utf-8";
    private static final String ME_JSON =
            "{\"auth\":\"api_key\",\"workspace\":{\"id\":\"018f3c5e-7a00-7bbb-8ccc-2d5e6f708192\","
                    + "\"name\":\"Main\",\"plan\":\"business\"},"
                    + "\"header_prefix\":\"X-Service\"}";
    private static final String NOT_FOUND_JSON =
            "{\"error\":{\"code\":\"not_found\",\"message\":\"There is no such source.\"}}";

    private final OpenApiContract contract = OpenApiContract.read();

    @Test
    void an_answer_as_documented_is_counted() {
        contract.check("GET", "/api/v1/me", answer(200, ME_JSON));
        contract.check("GET", "/api/v1/me/", answer(200, ME_JSON));
        contract.check("GET", "/api/v1/sources/x", answer(404, NOT_FOUND_JSON));
        contract.check("GET", "/nowhere", answer(404, NOT_FOUND_JSON));
        contract.check("HEAD", "/api/v1/me", answer(200, ""));

        assertThat(contract.answerCount()).isEqualTo(5);
        assertThat(contract.coveredOperations()).containsExactlyInAnyOrder("getMe", "getSource");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    an undocumented status    | 418 | {"error":{"code":"not_found","message":"m"}} | the status is not documented
                    a success that is none    | 202 | {}                                           | the status is not documented
                    a missing field           | 200 | {"auth":"api_key"}                           | required property 'workspace' not found
                    an unknown field          | 401 | {"error":{"code":"unauthorized","message":"m"},"trace":[]} | property 'trace' is not defined
                    an unknown error code     | 401 | {"error":{"code":"oops","message":"m"}}      | does not have a value in the enumeration
                    a value of another type   | 200 | {"auth":"api_key","workspace":[]}            | array found, object expected
                    a field that stands twice | 200 | {"auth":"api_key","auth":"api_key"}          | the body is not JSON
                    a body that is no JSON    | 500 | <h1>Error</h1>                               | the body is not JSON
                    """)
    void a_wrong_answer_is_caught(String what, int status, String body, String message) {
        assertThatThrownBy(() -> contract.check("GET", "/api/v1/me", answer(status, body)))
                .as(what)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("GET /api/v1/me answered " + status)
                .hasMessageContaining("operation getMe")
                .hasMessageContaining(message);
        assertThat(contract.answerCount()).isZero();
    }

    @Test
    void a_uuid_and_a_time_must_be_one() {
        assertThatThrownBy(() ->
                        contract.check(
                                "GET",
                                "/api/v1/me",
                                answer(200, ME_JSON.replace("018f3c5e-7a00", "nonsense"))))
                .hasMessageContaining("uuid");
    }

    @Test
    void another_content_type_is_caught() {
        var html = answer(200, ME_JSON, Map.of("Content-Type", "text/html", "X-Request-Id", "1"));

        assertThatThrownBy(() -> contract.check("GET", "/api/v1/me", html))
                .hasMessageContaining("the content type text/html is not documented");
    }

    @Test
    void a_header_that_must_be_there_is_missed() {
        var silent = answer(200, ME_JSON, Map.of("Content-Type", JSON_CONTENT_TYPE));

        assertThatThrownBy(() -> contract.check("GET", "/api/v1/me", silent))
                .hasMessageContaining("the header X-Request-Id is missing");
    }

    @Test
    void a_body_where_there_must_be_none_is_caught() {
        assertThatThrownBy(() -> contract.check("DELETE", "/api/v1/sources/x", answer(204, "{}")))
                .hasMessageContaining("there must be no body");
    }

    @Test
    void a_path_that_is_not_documented_may_only_refuse() {
        assertThatThrownBy(() -> contract.check("GET", "/api/v1/secrets", answer(200, "{}")))
                .hasMessageContaining("there is no such operation");
        assertThatThrownBy(() -> contract.check("GET", "/api/v1/secrets", answer(404, "{}")))
                .hasMessageContaining("required property 'error' not found");
    }

    @Test
    void a_literal_in_a_path_wins_over_a_name() {
        assertThat(contract.document().find("GET", "/api/v1/sources/trash").orElseThrow().id())
                .isEqualTo("listTrashedSources");
        assertThat(contract.document().find("PATCH", "/api/v1/sources/trash")).isEmpty();
    }

    @Test
    void only_an_ingest_url_may_answer_what_its_source_says() {
        var teapot = answer(418, "short and stout", Map.of("Content-Type", "text/plain"));
        var stranger = answer(200, "{\"status\":\"SUCCESS\",\"message\":\"Event accepted\"}");

        assertThatCode(() -> contract.check("POST", "/in/x", teapot)).doesNotThrowAnyException();
        assertThatThrownBy(() -> contract.check("POST", "/api/v1/sources", teapot))
                .hasMessageContaining("the status is not documented");
        assertThatThrownBy(() -> contract.check("POST", "/in/x", stranger))
                .hasMessageContaining("required property 'request_id' not found");
    }

    @Test
    void the_client_of_the_journeys_asks_about_every_answer() throws Exception {
        try (var wrong = Receiver.start()) {
            var api = new ApiClient(wrong.port(), "key");

            assertThatThrownBy(() -> api.get("/api/v1/me"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("which does not match openapi.json");
        }
    }

    private static ApiClient.ApiResponse answer(int status, String body) {
        return answer(
                status,
                body,
                Map.of(
                        "Content-Type",
                        JSON_CONTENT_TYPE,
                        "X-Request-Id",
                        "1",
                        "WWW-Authenticate",
                        "Bearer"));
    }

    private static ApiClient.ApiResponse answer(
            int status, String body, Map<String, String> headers) {
        var all = new TreeMap<String, List<String>>();
        headers.forEach((name, value) -> all.put(name, List.of(value)));
        if (!body.equals("short and stout")) {
            return new ApiClient.ApiResponse(status, body, HttpHeaders.of(all, (_, _) -> true));
        }
        all.put("X-Request-Id", List.of("1"));
        all.put("Content-Security-Policy", List.of("sandbox"));
        return new ApiClient.ApiResponse(status, body, HttpHeaders.of(all, (_, _) -> true));
    }
}
