package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.Wire;
import dev.sluice.testkit.WireConnection;

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
import java.util.concurrent.locks.LockSupport;

/// With a server that has little patience, and room for few connections.
class SlowSenderTest {

    private static final Duration HEAD = Duration.ofMillis(600);
    private static final Duration BODY = Duration.ofMillis(700);
    private static final Duration IDLE = Duration.ofSeconds(2);
    private static final int CONNECTIONS = 40;

    /// For a machine that has much else to do.
    private static final Duration SLACK = Duration.ofSeconds(5);

    private static final String POST = "POST /sink HTTP/1.1\r\nHost: h\r\n";
    private static final String WHOLE = POST + "Content-Length: 5\r\n\r\nhello";
    private static final String CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n";

    private static final Router ROUTER =
            new Router()
                    .post("/sink", request -> says(request.body(1 << 20).length + " bytes"))
                    .get("/large", _ -> says("x".repeat(32 << 20)));

    @SuppressWarnings("NullAway.Init")
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = start(new Patience(IDLE, HEAD, BODY));
    }

    /// For senders that are in time: a machine that has much else to do is no slow sender.
    private void startAgainWithTwiceThePatience() throws IOException {
        server.close();
        server =
                start(
                        new Patience(
                                IDLE.multipliedBy(2), HEAD.multipliedBy(2), BODY.multipliedBy(2)));
    }

    private static HttpServer start(Patience patience) throws IOException {
        return HttpServer.start(
                new HttpServer.Settings("127.0.0.1", 0, Duration.ofSeconds(1)),
                patience,
                CONNECTIONS,
                ROUTER,
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

            drip(connection, lines(each), HEAD.plus(SLACK));

            is408(connection.read());
            assertThat(since(start)).isBetween(HEAD.minusMillis(100), HEAD.plus(SLACK));
            assertThat(connection.isClosed()).isTrue();
        }
    }

    @Test
    void the_head_of_a_further_request_has_its_own_time() {
        try (var connection = open()) {
            connection.send(WHOLE);
            assertThat(connection.read().status()).isEqualTo(200);
            connection.send("POST /sink HTTP/1.1\r\nX: ");
            drip(connection, "a", HEAD.plus(SLACK));

            is408(connection.read());
            assertThat(connection.isClosed()).isTrue();
        }
    }

    @Test
    void a_head_that_comes_in_pieces_and_in_time_leaves_the_idle_time_as_it_was()
            throws IOException {
        startAgainWithTwiceThePatience();
        try (var connection = open()) {
            connection.send(WHOLE.substring(0, 10));
            rest(HEAD.dividedBy(4));
            connection.send(WHOLE.substring(10, 20));
            rest(HEAD.dividedBy(4));
            connection.send(WHOLE.substring(20));
            assertThat(connection.read().body()).isEqualTo("5 bytes");

            rest(HEAD.multipliedBy(3));
            connection.send(WHOLE);
            assertThat(connection.read().body()).isEqualTo("5 bytes");
        }
    }

    @Test
    void between_requests_a_connection_may_idle_and_is_closed_then() {
        try (var connection = open()) {
            connection.send(WHOLE);
            connection.read();
            long start = System.nanoTime();

            assertThat(connection.isClosed()).isTrue();
            assertThat(since(start)).isBetween(HEAD, IDLE.plus(SLACK));
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
            String post = name.contains("404") ? POST.replace("sink", "none") : POST;
            connection.send(post + framing + "\r\n\r\n" + lines(first));
            drip(connection, each, BODY.plus(SLACK));

            var answer = connection.read();
            if (name.contains("404")) {
                assertThat(answer.status()).isEqualTo(404);
            } else {
                is408(answer);
                assertThat(since(start)).isGreaterThan(BODY.minusMillis(100));
            }
            assertThat(connection.isClosed()).isTrue();
        }
    }

    @Test
    void a_refused_sender_that_goes_on_is_cut_off() {
        try (var connection = open()) {
            connection.send("NONSENSE\r\n\r\n");
            assertThat(connection.read().status()).isEqualTo(400);

            drip(connection, "a", SLACK.multipliedBy(2));
            assertThat(connection.send("a")).isFalse();
        }
    }

    @Test
    void a_steady_body_may_take_longer() throws IOException {
        startAgainWithTwiceThePatience();
        try (var connection = open()) {
            connection.send(POST + "Content-Length: 81920\r\n\r\n");
            for (int i = 0; i < 20; i++) {
                rest(BODY.dividedBy(5));
                connection.send("a".repeat(4096));
            }

            assertThat(connection.read().body()).isEqualTo("81920 bytes");
        }
    }

    @Test
    void slow_senders_on_all_connections_are_cut_off_and_others_then_served() {
        var slow = new ArrayList<WireConnection>();
        long start = System.nanoTime();
        for (int i = 0; i < CONNECTIONS; i++) {
            var connection = open();
            connection.send(i % 2 == 0 ? "POST /sink HT" : CHUNKED);
            slow.add(connection);
        }

        var answer = Wire.send(server.port(), WHOLE);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(since(start)).as("before there was room").isGreaterThan(HEAD.minusMillis(100));
        for (var connection : slow) {
            is408(connection.read());
            assertThat(connection.isClosed()).isTrue();
            connection.close();
        }
    }

    @Test
    void who_does_not_read_his_answer_is_cut_off_and_holds_up_nobody() {
        try (var deaf = open()) {
            deaf.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n" + WHOLE.repeat(1000));
            assertThat(Wire.send(server.port(), WHOLE).status()).isEqualTo(200);

            rest(IDLE.plus(Duration.ofSeconds(1)));
            await().atMost(SLACK).until(() -> !deaf.send(WHOLE));
        }
    }

    @ParameterizedTest
    @CsvSource({"1048576, 10000", "12560, 10000", "4096, 1536", "1024, 256", "256, 64"})
    void connections_leave_files_for_the_rest(long files, int connections) {
        assertThat(HttpServer.mostConnections(files)).isEqualTo(connections);
    }

    private WireConnection open() {
        return WireConnection.open(server.port());
    }

    private static String lines(String text) {
        return text.replace("%", "\r\n");
    }

    /// Until the other side answers or closes, at most for this long.
    private static void drip(WireConnection connection, String each, Duration most) {
        long end = System.nanoTime() + most.toNanos();
        while (!each.isEmpty() && System.nanoTime() - end < 0 && !connection.hasMore()) {
            if (!connection.send(each)) {
                return;
            }
            rest(Duration.ofMillis(40));
        }
    }

    /// The sender's own pace: what is waited for is the passing of time.
    private static void rest(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static void is408(Wire.Answer answer) {
        assertThat(answer.status()).isEqualTo(408);
        assertThat(answer.body()).contains("\"code\":\"request_timeout\"");
        assertThat(answer.values("X-Content-Type-Options")).containsExactly("nosniff");
    }
}
