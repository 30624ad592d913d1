package dev.sluice.features.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.http.AnswerMemory;
import dev.sluice.platform.http.HttpServer;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.RawHttp;
import dev.sluice.testkit.RawHttp.RawHttpResponse;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;

/// Asks for pages over real connections. The files are those of `test-pages`, so that no build of
/// the dashboard is needed.
class PageRoutesTest {

    private static final String BROWSER =
            "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\nAccept-Encoding: gzip, deflate,"
                    + " br\r\n";

    private static HttpServer server;
    private static HttpServer httpsServer;
    private static HttpServer bareServer;

    @BeforeAll
    static void start() throws IOException {
        server = serve("/test-pages/", "http://localhost:8080");
        httpsServer = serve("/test-pages/", "https://hooks.example");
        bareServer = serve("/no-such-pages/", "http://localhost:8080");
    }

    @AfterAll
    static void stop() {
        server.close();
        httpsServer.close();
        bareServer.close();
    }

    private static HttpServer serve(String directory, String baseUrl) throws IOException {
        var router =
                new Router()
                        .get("/api/v1/things", _ -> Reply.text(200, "text/plain", "things"))
                        .otherwise(new PageRoutes(PageFiles.load(directory), baseUrl)::answer);
        return HttpServer.start(
                new HttpServer.ListenerSettings("127.0.0.1", 0, Duration.ofSeconds(1)),
                router,
                AnswerMemory.ofHeap(),
                new Uuid7(InstantSource.system(), new Random(1)));
    }

    private static RawHttpResponse send(HttpServer to, String line, String headers) {
        return RawHttp.send(
                to.port(), line + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
    }

    @ParameterizedTest
    @CsvSource({
        "/,                     ./",
        "/events,               ./",
        "/events/,              ../",
        "/events/1234?tab=raw,  ../",
        "/sources/1/response,   ../../",
        "/apiary,               ./",
        "/inbox/x,              ../",
    })
    void a_browser_gets_the_page_with_the_way_to_its_root(String path, String root) {
        var answered = send(server, "GET " + path, BROWSER);

        assertThat(answered.status()).isEqualTo(200);
        assertThat(answered.values("Content-Type")).containsExactly("text/html; charset=utf-8");
        assertThat(answered.body())
                .contains("data-root=\"" + root + "\"")
                .contains("src=\"" + root + "assets/index-1a2b.js\"");
    }

    @Test
    void the_page_forbids_inline_code_frames_and_caching() {
        var answered = send(server, "GET /", BROWSER);

        assertThat(answered.values("Content-Security-Policy"))
                .singleElement()
                .asString()
                .contains("default-src 'none'", "script-src 'self';", "style-src 'self';")
                .contains("frame-ancestors 'none'", "base-uri 'none'")
                .doesNotContain("unsafe");
        assertThat(answered.values("Cache-Control")).containsExactly("no-store");
        assertThat(answered.values("X-Content-Type-Options")).containsExactly("nosniff");
        assertThat(answered.values("Referrer-Policy")).containsExactly("no-referrer");
        assertThat(answered.values("Cross-Origin-Opener-Policy")).containsExactly("same-origin");
        assertThat(answered.values("Strict-Transport-Security")).isEmpty();
    }

    @Test
    void with_an_https_address_browsers_are_told_to_stay_with_it() {
        var answered = send(httpsServer, "GET /", BROWSER);

        assertThat(answered.values("Strict-Transport-Security"))
                .containsExactly("max-age=31536000");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    gzip, br           | br   | brotli stands here
                    gzip               | gzip | gzip stands here
                    br;q=0, gzip;q=0.5 | gzip | gzip stands here
                    BR                 | br   | brotli stands here
                    deflate            |      | console.log("plain");
                    """)
    void a_file_is_sent_in_the_smallest_coding_that_is_accepted(
            String accepted, @Nullable String coding, String body) {
        var answered =
                send(server, "GET /assets/index-1a2b.js", "Accept-Encoding: " + accepted + "\r\n");

        assertThat(answered.status()).isEqualTo(200);
        assertThat(answered.values("Content-Encoding"))
                .isEqualTo(coding == null ? List.of() : List.of(coding));
        assertThat(answered.values("Content-Type"))
                .containsExactly("text/javascript; charset=utf-8");
        assertThat(answered.values("Cache-Control"))
                .containsExactly("public, max-age=31536000, immutable");
        assertThat(answered.values("Vary")).containsExactly("Accept-Encoding");
        assertThat(answered.body().strip()).isEqualTo(body);
    }

    @Test
    void head_is_answered_as_get_without_a_body() {
        var answered = send(server, "HEAD /events", BROWSER);

        assertThat(answered.status()).isEqualTo(200);
        assertThat(answered.body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api",
                "/api/",
                "/api/v1/nothing",
                "/in",
                "/in/unknown",
                "/healthz",
                "/metrics",
                "/metrics/x",
                "/a/b/c/d/e/f/g/h/i",
            })
    void unknown_paths_of_programs_stay_an_error_in_json(String path) {
        var answered = send(server, "GET " + path, BROWSER);

        assertThat(answered.status()).isEqualTo(404);
        assertThat(answered.body()).contains("\"code\":\"not_found\"");
    }

    @Test
    void a_program_that_asks_for_the_root_is_told_where_to_go() {
        var answered = send(server, "GET /", "Accept: */*\r\n");

        assertThat(answered.status()).isEqualTo(404);
        assertThat(answered.body()).contains("/api/v1", "/api/openapi.json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Accept: */*\r\n",
                "Accept: application/json\r\n",
                "",
                "Accept: text/html;q=0\r\n"
            })
    void who_does_not_ask_for_html_gets_an_error_in_json(String accept) {
        var answered = send(server, "GET /events", accept);

        assertThat(answered.status()).isEqualTo(404);
        assertThat(answered.body()).contains("\"code\":\"not_found\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"})
    void only_get_and_head_are_for_pages(String method) {
        var answered = send(server, method + " /events", BROWSER + "Content-Length: 0\r\n");

        assertThat(answered.status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/assets/../index.html",
                "/assets/%2e%2e/files.txt",
                "/assets/index-0000.js",
                "/files.txt",
                "/index.html",
                "/assets/index-1a2b.js.br",
            })
    void only_listed_files_are_served(String path) {
        var answered = send(server, "GET " + path, "");

        assertThat(answered.status()).isIn(400, 404);
        assertThat(answered.body()).contains("\"error\"");
    }

    @Test
    void routes_are_found_before_pages() {
        assertThat(send(server, "GET /api/v1/things", BROWSER).body()).isEqualTo("things");
        assertThat(send(server, "POST /api/v1/things", BROWSER + "Content-Length: 0\r\n").status())
                .isEqualTo(405);
    }

    @Test
    void a_server_without_the_dashboard_says_how_to_get_it() {
        var answered = send(bareServer, "GET /", BROWSER);

        assertThat(answered.status()).isEqualTo(404);
        assertThat(answered.body())
                .contains("built without its dashboard", "/api/openapi.json", "Node.js");
    }
}
