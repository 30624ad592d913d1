package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.RawHttp;
import dev.sluice.testkit.RawHttpConnection;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.stream.Stream;

class HostileSenderTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    static List<HostileRequest> what_is_sent_in_one_go() {
        return HostileRequest.all();
    }

    @ParameterizedTest
    @MethodSource
    void what_is_sent_in_one_go(HostileRequest sent) {
        var source = api.source("s");
        String path = source.text("ingest_path");

        try (var connection = RawHttpConnection.open(sluice.port())) {
            connection.send(sent.bytes().replace("IN", path));
            var answer = connection.read();

            assertThat(answer.status()).as(answer.body()).isEqualTo(sent.status());
            isOurs(answer);
            if (sent.isKept()) {
                connection.send(post(path, "next"));
                assertThat(connection.read().status()).isEqualTo(200);
            } else {
                assertThat(connection.isClosed()).isTrue();
            }
        }
        var next = sent.isKept() ? Stream.of("next") : Stream.<String>empty();
        assertThat(bodies(source))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(sent.stored().stream(), next).toList());
    }

    /// Checks that Sluice made the reply: errors have the API's envelope and are never an error
    /// page of the HTTP server.
    private static void isOurs(RawHttp.RawHttpResponse answer) {
        assertThat(answer.values("X-Content-Type-Options")).containsExactly("nosniff");
        assertThat(answer.values("X-Request-Id")).hasSize(1);
        assertThat(answer.values("Server")).isEmpty();
        if (answer.status() >= 400) {
            assertThat(answer.values("Content-Type"))
                    .containsExactly("application/json; charset=utf-8");
            assertThat(answer.body())
                    .startsWith("{\"error\":{\"code\":\"")
                    .doesNotContain("internal_error", "Exception", "jetty", "<");
        }
    }

    @Test
    void pipelined_requests_are_answered_in_order() {
        var source = api.source("s");
        String path = source.text("ingest_path");

        try (var connection = RawHttpConnection.open(sluice.port())) {
            connection.send(
                    post(path, "one")
                            + post("/in/nobody", "two")
                            + "GET /api/v1/plans HTTP/1.1\r\nHost: h\r\n\r\n"
                            + post(path, "three"));

            assertThat(connection.read().status()).isEqualTo(200);
            assertThat(connection.read().status()).isEqualTo(404);
            assertThat(connection.read().body()).contains("business");
            assertThat(connection.read().body()).contains("request_id");
        }
        assertThat(bodies(source)).containsExactlyInAnyOrder("one", "three");
    }

    @Test
    void a_request_inside_of_a_body_is_not_one() {
        var source = api.source("s");
        String path = source.text("ingest_path");
        String inner = post(path, "inner");

        try (var connection = RawHttpConnection.open(sluice.port())) {
            connection.send(post(path, inner) + post("/in/nobody", inner));

            assertThat(connection.read().status()).isEqualTo(200);
            assertThat(connection.read().status()).isEqualTo(404);
            connection.send(post(path, "last"));
            assertThat(connection.read().status()).isEqualTo(200);
        }
        assertThat(bodies(source)).containsExactlyInAnyOrder(inner, "last");
    }

    @Test
    void a_request_after_the_last_one_is_dropped() {
        var source = api.source("s");
        String path = source.text("ingest_path");

        try (var connection = RawHttpConnection.open(sluice.port())) {
            connection.send(
                    post(path, "one").replace("Host: h", "Host: h\r\nConnection: close")
                            + post(path, "two"));

            assertThat(connection.read().status()).isEqualTo(200);
            assertThat(connection.isClosed()).isTrue();
        }
        assertThat(bodies(source)).containsExactly("one");
    }

    @Test
    void who_expects_100_is_told_to_go_on_and_then_stored() {
        var source = api.source("s");

        try (var connection = RawHttpConnection.open(sluice.port())) {
            connection.send(
                    post(source.text("ingest_path"), "")
                            .replace(
                                    "Content-Length: 0",
                                    "Expect: 100-continue\r\nContent-Length: 4"));
            assertThat(connection.read().status()).isEqualTo(100);
            connection.send("body");
            assertThat(connection.read().status()).isEqualTo(200);
        }
        assertThat(bodies(source)).containsExactly("body");
    }

    @Test
    void a_sender_that_closes_its_half_reads_its_answer() {
        var source = api.source("s");

        try (var connection = RawHttpConnection.open(sluice.port())) {
            connection.send(post(source.text("ingest_path"), "whole"));
            connection.finish();

            assertThat(connection.read().status()).isEqualTo(200);
            assertThat(connection.isClosed()).isTrue();
        }
        assertThat(bodies(source)).containsExactly("whole");
    }

    @Test
    void a_body_that_ends_in_its_middle_is_400_and_not_stored() {
        var source = api.source("s");
        String whole = post(source.text("ingest_path"), "in the middle");
        String chunks =
                whole.substring(0, whole.indexOf("Content-Length"))
                        + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";

        for (String part : List.of(whole.substring(0, whole.length() - 3), chunks)) {
            try (var connection = RawHttpConnection.open(sluice.port())) {
                connection.send(part);
                connection.finish();

                var answer = connection.read();
                assertThat(answer.status()).isEqualTo(400);
                isOurs(answer);
                assertThat(connection.isClosed()).isTrue();
            }
        }
        assertThat(bodies(source)).isEmpty();
    }

    @Test
    void a_reset_in_the_middle_of_a_body_stores_nothing() {
        var source = api.source("s");
        String path = source.text("ingest_path");

        for (int i = 0; i < 20; i++) {
            var connection = RawHttpConnection.open(sluice.port());
            connection.send(post(path, "x".repeat(100_000)).substring(0, 50_000));
            connection.reset();
        }

        assertThat(api.ingest(path, "after").status()).isEqualTo(200);
        assertThat(bodies(source)).containsExactly("after");
    }

    /// If the connection were closed at once, the sender would get a reset and never read the
    /// reply.
    @Test
    void who_is_refused_while_still_sending_reads_the_answer() {
        String large = "x".repeat(8 << 20);

        for (String path : List.of("/in/nobody", api.source("s").text("ingest_path"))) {
            try (var connection = RawHttpConnection.open(sluice.port())) {
                assertThat(connection.send(post(path, large))).isTrue();
                var answer = connection.read();

                assertThat(answer.status()).isEqualTo(path.equals("/in/nobody") ? 404 : 413);
                assertThat(answer.values("Connection")).containsExactly("close");
                isOurs(answer);
                assertThat(connection.isClosed()).isTrue();
            }
        }
    }

    private static String post(String path, String body) {
        return "POST "
                + path
                + " HTTP/1.1\r\nHost: h\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body;
    }

    private static List<String> bodies(ApiClient.ApiResponse source) {
        return api.get("/api/v1/events?source_id=" + source.text("id"))
                .json()
                .path("items")
                .valueStream()
                .map((JsonNode item) ->
                        api.get("/api/v1/events/" + item.path("id").asString()).text("body"))
                .toList();
    }
}
