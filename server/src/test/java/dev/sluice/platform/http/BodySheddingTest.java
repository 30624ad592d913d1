package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.RawHttp;
import dev.sluice.testkit.RawHttpConnection;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;

/// Tests what becomes of a request whose memory another one needs, over real connections.
class BodySheddingTest {

    /// Of these, the limit gives out 1 400 000.
    private static final int CAPACITY = 1_600_000;

    private static final int HOG_BYTES = 1_000_000;
    private static final int OTHER_BYTES = 500_000;

    private final InboundMemory memory =
            new InboundMemory(CAPACITY, Duration.ofSeconds(30), System::nanoTime);

    @AutoClose
    private final HttpServer server =
            start(
                    new Router()
                            .mount(
                                    "/sink/",
                                    request -> {
                                        String source = request.path().substring(6);
                                        request.setBodyMemory(memory, source, source);
                                        int length = request.body(1 << 20).length;
                                        return Reply.text(200, "text/plain", length + " bytes");
                                    }));

    private static HttpServer start(Router router) {
        try {
            return HttpServer.start(
                    new HttpServer.ListenerSettings("127.0.0.1", 0, Duration.ofSeconds(1)),
                    router,
                    AnswerMemory.ofHeap(),
                    new Uuid7(InstantSource.system(), new Random(1)));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void it_is_told_to_come_again_while_it_waits() {
        try (var hog = openHog(HOG_BYTES - 1)) {
            assertThat(sendInTwo("other", OTHER_BYTES).body()).isEqualTo("500000 bytes");

            isRefused(hog.read());
            assertThat(hog.isClosed()).isTrue();
        }
        awaitFree(CAPACITY);
    }

    /// It could not read the reply if the connection were closed at once.
    @Test
    void it_reads_the_reply_although_it_goes_on_sending() {
        try (var hog = openHog(300_000)) {
            assertThat(sendInTwo("other", OTHER_BYTES).status()).isEqualTo(200);

            assertThat(hog.send("x".repeat(400_000))).isTrue();
            assertThat(hog.send("x".repeat(300_000))).isTrue();

            isRefused(hog.read());
            assertThat(hog.isClosed()).isTrue();
        }
        awaitFree(CAPACITY);
    }

    @Test
    void one_that_finds_no_room_reads_the_reply_and_the_others_go_on() {
        try (var hog = openHog(HOG_BYTES - 1)) {
            isRefused(sendInTwo("hog", OTHER_BYTES));
            hog.send("x");

            assertThat(hog.read().body()).isEqualTo("1000000 bytes");
        }
        awaitFree(CAPACITY);
    }

    @Test
    void a_small_body_that_is_there_at_once_needs_no_memory() {
        try (var hog = openHog(HOG_BYTES - 1);
                var small = open()) {
            long free = memory.freeBytes();
            for (int i = 0; i < 100; i++) {
                small.send(head("hog", 2_000) + "x".repeat(2_000));
                assertThat(small.read().body()).isEqualTo("2000 bytes");
                assertThat(memory.freeBytes()).isEqualTo(free);
            }
            hog.send("x");
            assertThat(hog.read().status()).isEqualTo(200);
        }
    }

    /// Returns a connection that has sent `bytes` of a large body and holds memory for all of it.
    private RawHttpConnection openHog(int bytes) {
        var hog = open();
        hog.send(head("hog", HOG_BYTES) + "x".repeat(bytes));
        await().until(() -> memory.freeBytes() < CAPACITY - HOG_BYTES);
        return hog;
    }

    private void awaitFree(int bytes) {
        await().until(() -> memory.freeBytes() == bytes);
    }

    private static void isRefused(RawHttp.RawHttpResponse reply) {
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.body()).contains("\"code\":\"unavailable\"");
        assertThat(reply.values("Retry-After")).containsExactly("1");
    }

    private RawHttp.RawHttpResponse sendInTwo(String source, int bytes) {
        try (var connection = open()) {
            connection.send(head(source, bytes) + "x".repeat(1_000));
            connection.send("x".repeat(bytes - 1_000));
            return connection.read();
        }
    }

    private RawHttpConnection open() {
        return RawHttpConnection.open(server.port());
    }

    private static String head(String source, int length) {
        return "POST /sink/%s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n"
                .formatted(source, length);
    }
}
