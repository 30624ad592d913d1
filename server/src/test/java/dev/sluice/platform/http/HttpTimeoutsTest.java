package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.RawHttp;
import dev.sluice.testkit.RawHttpConnection;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/// Tests the timeouts and the connection limit of the HTTP server, with short timeouts and few
/// connections.
class HttpTimeoutsTest {

    private static final Duration HEAD_TIMEOUT = Duration.ofMillis(600);
    private static final Duration BODY_TIMEOUT = Duration.ofMillis(700);

    /// Long, because a busy test machine may need seconds to read the first byte of a connection. A
    /// connection that is idle until then is closed without an answer.
    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(30);

    /// For the tests that wait for it.
    private static final Duration SHORT_IDLE_TIMEOUT = Duration.ofSeconds(2);

    private static final int MAX_CONNECTIONS = 40;

    /// The extra time that a busy test machine may need.
    private static final Duration TIMING_TOLERANCE = Duration.ofSeconds(5);

    private static final String POST_HEAD = "POST /sink HTTP/1.1\r\nHost: h\r\n";
    private static final String WHOLE_REQUEST = POST_HEAD + "Content-Length: 5\r\n\r\nhello";
    private static final String CHUNKED_HEAD = POST_HEAD + "Transfer-Encoding: chunked\r\n\r\n";

    /// What the requests to `/awaited` wait for.
    private static final CompletableFuture<String> AWAITED = new CompletableFuture<>();

    private static final Router ROUTER =
            new Router()
                    .post("/sink", request -> says(request.body(1 << 20).length + " bytes"))
                    .get("/large", _ -> says("x".repeat(32 << 20)))
                    .get("/awaited", _ -> says(AWAITED.join()));

    @SuppressWarnings("NullAway.Init")
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = start(new HttpTimeouts(IDLE_TIMEOUT, HEAD_TIMEOUT, BODY_TIMEOUT));
    }

    /// For tests whose senders are in time: on a busy test machine, a fast sender must not look
    /// slow.
    private void restartWithDoubledTimeouts() throws IOException {
        restart(
                new HttpTimeouts(
                        IDLE_TIMEOUT, HEAD_TIMEOUT.multipliedBy(2), BODY_TIMEOUT.multipliedBy(2)));
    }

    private void restartWithShortIdleTimeout() throws IOException {
        restart(new HttpTimeouts(SHORT_IDLE_TIMEOUT, HEAD_TIMEOUT, BODY_TIMEOUT));
    }

    private void restart(HttpTimeouts timeouts) throws IOException {
        server.close();
        server = start(timeouts);
    }

    private static HttpServer start(HttpTimeouts timeouts) throws IOException {
        return HttpServer.start(
                new HttpServer.ListenerSettings("127.0.0.1", 0, Duration.ofSeconds(1)),
                timeouts,
                MAX_CONNECTIONS,
                ROUTER,
                AnswerMemory.ofHeap(),
                new Uuid7(InstantSource.system(), new Random(1)));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static Reply says(String text) {
        return Reply.text(200, "text/plain", text);
    }

    @ParameterizedTest
    @CsvSource({
        "a head that stalls,   POST /si, ''",
        "a head that drips,    POST /sink HTTP/1.1%X: , a",
        "empty lines that drip, '', %",
        "bytes that never are a head, G, G",
    })
    void a_head_has_its_time_from_its_first_byte(String name, String first, String each) {
        try (var connection = open()) {
            long start = System.nanoTime();
            connection.send(lines(first));

            drip(connection, lines(each), HEAD_TIMEOUT.plus(TIMING_TOLERANCE));

            is408(connection.read());
            assertThat(since(start))
                    .isBetween(HEAD_TIMEOUT.minusMillis(100), HEAD_TIMEOUT.plus(TIMING_TOLERANCE));
            assertThat(connection.isClosed()).isTrue();
        }
    }

    @Test
    void the_head_of_a_further_request_has_its_own_time() {
        try (var connection = open()) {
            connection.send(WHOLE_REQUEST);
            assertThat(connection.read().status()).isEqualTo(200);
            connection.send("POST /sink HTTP/1.1\r\nX: ");
            drip(connection, "a", HEAD_TIMEOUT.plus(TIMING_TOLERANCE));

            is408(connection.read());
            assertThat(connection.isClosed()).isTrue();
        }
    }

    @Test
    void a_head_that_comes_in_pieces_and_in_time_leaves_the_idle_time_as_it_was()
            throws IOException {
        restartWithDoubledTimeouts();
        try (var connection = open()) {
            connection.send(WHOLE_REQUEST.substring(0, 10));
            sleep(HEAD_TIMEOUT.dividedBy(4));
            connection.send(WHOLE_REQUEST.substring(10, 20));
            sleep(HEAD_TIMEOUT.dividedBy(4));
            connection.send(WHOLE_REQUEST.substring(20));
            assertThat(connection.read().body()).isEqualTo("5 bytes");

            sleep(HEAD_TIMEOUT.multipliedBy(3));
            connection.send(WHOLE_REQUEST);
            assertThat(connection.read().body()).isEqualTo("5 bytes");
        }
    }

    @Test
    void between_requests_a_connection_may_idle_and_is_closed_then() throws IOException {
        restartWithShortIdleTimeout();
        try (var connection = open()) {
            connection.send(WHOLE_REQUEST);
            connection.read();
            long start = System.nanoTime();

            assertThat(connection.isClosed()).isTrue();
            assertThat(since(start))
                    .isBetween(HEAD_TIMEOUT, SHORT_IDLE_TIMEOUT.plus(TIMING_TOLERANCE));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a body that stalls,    Content-Length: 10, abc, ''",
        "a body that drips,     Content-Length: 9999, '', a",
        "a chunk extension,     Transfer-Encoding: chunked, 5;, a",
        "trailers,              Transfer-Encoding: chunked, 5%hello%0%X: , a",
        "a body after a 404,    Content-Length: 9999999, '', a",
    })
    void a_body_has_its_time_whatever_drips_in_it(
            String name, String framing, String first, String each) {
        try (var connection = open()) {
            long start = System.nanoTime();
            String post = name.contains("404") ? POST_HEAD.replace("sink", "none") : POST_HEAD;
            connection.send(post + framing + "\r\n\r\n" + lines(first));
            drip(connection, each, BODY_TIMEOUT.plus(TIMING_TOLERANCE));

            var answer = connection.read();
            if (name.contains("404")) {
                assertThat(answer.status()).isEqualTo(404);
            } else {
                is408(answer);
                assertThat(since(start)).isGreaterThan(BODY_TIMEOUT.minusMillis(100));
            }
            assertThat(connection.isClosed()).isTrue();
        }
    }

    /// At the minimum rate alone, this body would have five more minutes.
    @Test
    void a_body_that_stalls_is_cut_off_whatever_came_before() {
        try (var connection = open()) {
            connection.send(CHUNKED_HEAD + "50000\r\n" + "a".repeat(0x50000) + "\r\n");
            long start = System.nanoTime();
            drip(connection, "1\r\na\r\n", BODY_TIMEOUT.plus(TIMING_TOLERANCE));

            is408(connection.read());
            assertThat(since(start)).isLessThan(BODY_TIMEOUT.plus(TIMING_TOLERANCE));
            assertThat(connection.isClosed()).isTrue();
        }
    }

    @Test
    void a_refused_sender_that_goes_on_is_cut_off() {
        try (var connection = open()) {
            connection.send("NONSENSE\r\n\r\n");
            assertThat(connection.read().status()).isEqualTo(400);

            drip(connection, "a", TIMING_TOLERANCE.multipliedBy(2));
            assertThat(connection.send("a")).isFalse();
        }
    }

    @Test
    void a_steady_body_may_take_longer() throws IOException {
        restartWithDoubledTimeouts();
        try (var connection = open()) {
            connection.send(POST_HEAD + "Content-Length: 81920\r\n\r\n");
            for (int i = 0; i < 20; i++) {
                sleep(BODY_TIMEOUT.dividedBy(5));
                connection.send("a".repeat(4096));
            }

            assertThat(connection.read().body()).isEqualTo("81920 bytes");
        }
    }

    @Test
    void slow_senders_on_all_connections_are_cut_off_and_others_then_served() {
        var slow = new ArrayList<RawHttpConnection>();
        long start = System.nanoTime();
        for (int i = 0; i < MAX_CONNECTIONS; i++) {
            var connection = open();
            connection.send(i % 2 == 0 ? "POST /sink HT" : CHUNKED_HEAD);
            slow.add(connection);
        }

        var answer = RawHttp.send(server.port(), WHOLE_REQUEST);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(since(start))
                .as("until a connection was free")
                .isGreaterThan(HEAD_TIMEOUT.minusMillis(100));
        for (var connection : slow) {
            is408(connection.read());
            assertThat(connection.isClosed()).isTrue();
            connection.close();
        }
        assertThat(since(start))
                .as("until all were cut off")
                .isLessThan(BODY_TIMEOUT.plus(TIMING_TOLERANCE));
    }

    @Test
    void with_all_connections_in_use_idle_ones_are_closed_and_requests_go_on() {
        var idle = new ArrayList<RawHttpConnection>();
        try (var busy = open()) {
            busy.send("GET /awaited HTTP/1.1\r\nHost: h\r\n\r\n");
            for (int i = 1; i < MAX_CONNECTIONS; i++) {
                var connection = open();
                connection.send(WHOLE_REQUEST);
                idle.add(connection);
            }
            idle.forEach(connection -> assertThat(connection.read().status()).isEqualTo(200));
            long start = System.nanoTime();

            assertThat(RawHttp.send(server.port(), WHOLE_REQUEST).status()).isEqualTo(200);
            assertThat(since(start))
                    .isBetween(
                            ConnectionLimit.MAX_IDLE_TIME.minus(Duration.ofSeconds(1)),
                            ConnectionLimit.MAX_IDLE_TIME.plus(TIMING_TOLERANCE));
            idle.forEach(connection -> assertThat(connection.isClosed()).isTrue());
            idle.forEach(RawHttpConnection::close);
            AWAITED.complete("arrived");
            assertThat(busy.read().body()).isEqualTo("arrived");
        }
    }

    @Test
    void who_does_not_read_his_answer_is_cut_off_and_holds_up_nobody() throws IOException {
        restartWithShortIdleTimeout();
        try (var deaf = open()) {
            deaf.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n" + WHOLE_REQUEST.repeat(1000));
            assertThat(RawHttp.send(server.port(), WHOLE_REQUEST).status()).isEqualTo(200);

            sleep(SHORT_IDLE_TIMEOUT.plus(Duration.ofSeconds(1)));
            await().atMost(TIMING_TOLERANCE).until(() -> !deaf.send(WHOLE_REQUEST));
        }
    }

    @ParameterizedTest
    @CsvSource({"1048576, 10000", "21024, 10000", "4096, 1536", "1024, 256", "256, 64"})
    void connections_leave_files_for_the_rest(long files, int connections) {
        assertThat(HttpServer.maxConnections(files)).isEqualTo(connections);
    }

    private RawHttpConnection open() {
        return RawHttpConnection.open(server.port());
    }

    private static String lines(String text) {
        return text.replace("%", "\r\n");
    }

    /// Sends `each` every 40 ms until the server answers or closes, for `timeout` at most.
    private static void drip(RawHttpConnection connection, String each, Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        while (!each.isEmpty() && System.nanoTime() - end < 0 && !connection.hasMore()) {
            if (!connection.send(each)) {
                return;
            }
            sleep(Duration.ofMillis(40));
        }
    }

    /// Waits in real time, because these tests measure real timeouts.
    private static void sleep(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static void is408(RawHttp.RawHttpResponse answer) {
        assertThat(answer.status()).isEqualTo(408);
        assertThat(answer.body()).contains("\"code\":\"request_timeout\"");
        assertThat(answer.values("X-Content-Type-Options")).containsExactly("nosniff");
    }
}
