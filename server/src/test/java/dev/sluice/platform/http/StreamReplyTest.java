package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.platform.id.Uuid7;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Tests replies whose body is a stream, with a short idle timeout.
class StreamReplyTest {

    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(2);

    private final CompletableFuture<String> end = new CompletableFuture<>();
    private final CountDownLatch goOn = new CountDownLatch(1);

    @SuppressWarnings("NullAway.Init")
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        var router =
                new Router()
                        .get("/endless", _ -> streaming(this::writeEndlessly))
                        .get("/quiet", _ -> streaming(this::awaitClientGone))
                        .get("/two", _ -> streaming(this::writeTwice));
        server =
                HttpServer.start(
                        new HttpServer.ListenerSettings("127.0.0.1", 0, Duration.ofSeconds(1)),
                        new HttpTimeouts(IDLE_TIMEOUT, IDLE_TIMEOUT, IDLE_TIMEOUT),
                        40,
                        router,
                        AnswerMemory.ofHeap(),
                        new Uuid7(InstantSource.system(), new Random(1)));
    }

    @AfterEach
    void stop() {
        goOn.countDown();
        server.close();
    }

    private static Reply streaming(StreamBody body) {
        return Reply.stream(List.of(new Header("Content-Type", "text/plain")), body);
    }

    private void writeEndlessly(StreamOutput output) throws InterruptedException {
        try {
            while (true) {
                output.write(new byte[1 << 20], () -> true);
            }
        } catch (IOException e) {
            end.complete("cut off");
        }
    }

    private void awaitClientGone(StreamOutput output) throws IOException, InterruptedException {
        output.write("hello".getBytes(US_ASCII), () -> true);
        while (!output.isClientGone()) {
            var _ = goOn.await(20, TimeUnit.MILLISECONDS);
        }
        end.complete("gone");
    }

    private void writeTwice(StreamOutput output) throws IOException, InterruptedException {
        output.write("one".getBytes(US_ASCII), () -> true);
        goOn.await();
        output.write("two".getBytes(US_ASCII), () -> true);
    }

    private Socket request(String method, String path) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(20_000);
        socket.getOutputStream()
                .write((method + " " + path + " HTTP/1.1\r\nHost: h\r\n\r\n").getBytes(US_ASCII));
        return socket;
    }

    private static String readUntil(Socket socket, String text) throws IOException {
        var read = new StringBuilder();
        while (read.indexOf(text) < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as("after " + read).isNotNegative();
            read.append((char) next);
        }
        return read.toString();
    }

    @Test
    void each_piece_arrives_when_it_is_written_and_the_connection_closes_at_the_end()
            throws IOException {
        try (var socket = request("GET", "/two")) {
            assertThat(readUntil(socket, "one")).doesNotContain("Content-Length");
            goOn.countDown();
            readUntil(socket, "two");
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void a_head_request_gets_no_stream() throws IOException {
        try (var socket = request("HEAD", "/endless")) {
            String head = new String(socket.getInputStream().readAllBytes(), US_ASCII);
            assertThat(head).startsWith("HTTP/1.1 200").endsWith("\r\n\r\n");
            assertThat(end).isNotDone();
        }
    }

    @Test
    void who_leaves_is_noticed_without_a_write() throws Exception {
        try (var socket = request("GET", "/quiet")) {
            readUntil(socket, "hello");
        }
        assertThat(end.get(20, TimeUnit.SECONDS)).isEqualTo("gone");
    }

    @Test
    void who_does_not_read_is_cut_off() throws Exception {
        try (var socket = request("GET", "/endless")) {
            readUntil(socket, "200");
            assertThat(end.get(20, TimeUnit.SECONDS)).isEqualTo("cut off");
        }
    }
}
