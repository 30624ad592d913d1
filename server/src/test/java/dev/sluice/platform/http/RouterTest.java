package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.ApiClient;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;

/// Tests the router over real connections, because only the HTTP server can create its requests.
class RouterTest {

    private static final Router ROUTER =
            new Router()
                    .get("/api/things", _ -> says("list"))
                    .post("/api/things", _ -> says("create"))
                    .get("/api/things/{id}", request -> says("one " + request.pathParameter("id")))
                    .delete(
                            "/api/things/{id}",
                            request -> says("gone " + request.pathParameter("id")))
                    .get("/api/things/summary", _ -> says("summary"))
                    .post(
                            "/api/{kind}/{id}/parts/{part}",
                            request ->
                                    says(
                                            request.pathParameter("kind")
                                                    + " "
                                                    + request.pathParameter("id")
                                                    + " "
                                                    + request.pathParameter("part")))
                    .mount("/in/", request -> says("in " + request.path()));

    private static HttpServer server;
    private static ApiClient api;

    @BeforeAll
    static void start() throws IOException {
        server =
                HttpServer.start(
                        new HttpServer.ListenerSettings("127.0.0.1", 0, Duration.ofSeconds(1)),
                        ROUTER,
                        AnswerMemory.ofHeap(),
                        new Uuid7(InstantSource.system(), new Random(1)));
        api = ApiClient.undocumented(server.port());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Reply says(String text) {
        return Reply.text(200, "text/plain", text);
    }

    private static ApiClient.ApiResponse send(String method, String path) {
        return api.send(api.anonymous(path).method(method, HttpRequest.BodyPublishers.noBody()));
    }

    @ParameterizedTest
    @CsvSource({
        "GET,    /api/things,             list",
        "GET,    /api/things/,            list",
        "POST,   /api/things/,            create",
        "GET,    /api/things/7,           one 7",
        "GET,    /api/things/7/,          one 7",
        "DELETE, /api/things/7,           gone 7",
        "GET,    /api/things/summary,     summary",
        "GET,    /api/things/7?x=/api,    one 7",
        "POST,   /api/a/b/parts/c,        a b c",
        "PUT,    /in/some/thing,          in /in/some/thing",
        "GET,    /in/,                    in /in/",
    })
    void a_path_finds_who_answers_it(String method, String path, String answer) {
        var answered = send(method, path);

        assertThat(answered.status()).isEqualTo(200);
        assertThat(answered.body()).isEqualTo(answer);
    }

    @ParameterizedTest
    @CsvSource({"/", "/api", "/api/thing", "/api/things/7/8", "/in", "/API/things"})
    void an_unknown_path_is_not_found(String path) {
        var answered = send("GET", path);

        assertThat(answered.status()).isEqualTo(404);
        assertThat(answered.errorCode()).isEqualTo("not_found");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    PATCH | /api/things          | GET, HEAD, POST
                    POST  | /api/things/7        | DELETE, GET, HEAD
                    DELETE | /api/things/summary | GET, HEAD
                    GET   | /api/a/b/parts/c     | POST
                    """)
    void another_method_is_told_which_ones_there_are(String method, String path, String allowed) {
        var answered = send(method, path);

        assertThat(answered.status()).isEqualTo(405);
        assertThat(answered.errorCode()).isEqualTo("method_not_allowed");
        assertThat(answered.header("Allow")).contains(allowed);
    }

    @Test
    void head_is_answered_as_get_without_a_body() {
        var answered = send("HEAD", "/api/things");

        assertThat(answered.status()).isEqualTo(200);
        assertThat(answered.body()).isEmpty();
    }

    @Test
    void routes_are_listed_in_order() {
        assertThat(ROUTER.routes())
                .containsExactly(
                        "DELETE /api/things/{id}",
                        "GET /api/things",
                        "GET /api/things/summary",
                        "GET /api/things/{id}",
                        "POST /api/things",
                        "POST /api/{kind}/{id}/parts/{part}");
    }
}
