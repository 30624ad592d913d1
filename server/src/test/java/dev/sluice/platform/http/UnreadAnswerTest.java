package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;

/// Tests answers that clients do not read, and large answers, with little memory for answers.
class UnreadAnswerTest {

    private static final int CAPACITY_BYTES = 16 << 20;
    private static final int LARGE_BYTES = 1 << 20;

    private static final UUID ATTACKER = new UUID(0, 1);
    private static final UUID OTHER = new UUID(0, 2);

    /// A control character takes six bytes in JSON.
    private static final String BODY = "\u0001".repeat(LARGE_BYTES / 2);

    private static final JsonObject LARGE = new JsonObject().put("body", BODY);

    private final AtomicLong nanoTime = new AtomicLong();
    private final AnswerMemory memory = new AnswerMemory(CAPACITY_BYTES, nanoTime::get);
    private final AtomicInteger built = new AtomicInteger();
    private final AtomicInteger refusedStreams = new AtomicInteger();
    private final List<Socket> sockets = new ArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();

    @SuppressWarnings("NullAway.Init")
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        var router =
                new Router()
                        .get("/api/{owner}/large", this::large)
                        .get("/api/{owner}/small", this::small)
                        .get("/api/{owner}/stream", this::stream);
        server =
                HttpServer.start(
                        new HttpServer.ListenerSettings("127.0.0.1", 0, Duration.ofSeconds(1)),
                        HttpTimeouts.DEFAULT_TIMEOUTS,
                        1_000,
                        router,
                        memory,
                        new Uuid7(InstantSource.system(), new Random(1)));
    }

    @AfterEach
    void stop() throws IOException {
        for (var socket : sockets) {
            socket.close();
        }
        client.close();
        server.close();
    }

    private Reply large(Request request) {
        request.setOwner(UUID.fromString(request.pathParameter("owner")));
        request.reserveAnswer(LARGE_BYTES);
        built.incrementAndGet();
        return Reply.ok(LARGE);
    }

    private Reply small(Request request) {
        request.setOwner(UUID.fromString(request.pathParameter("owner")));
        return Reply.ok(new JsonObject().put("small", true));
    }

    private Reply stream(Request request) {
        request.setOwner(UUID.fromString(request.pathParameter("owner")));
        return Reply.stream(
                List.of(new Header("Content-Type", "text/event-stream")), this::writeEndlessly);
    }

    private void writeEndlessly(StreamOutput output) throws IOException, InterruptedException {
        byte[] message = new byte[LARGE_BYTES];
        try {
            while (true) {
                output.write(message, () -> true);
            }
        } catch (ApiException e) {
            refusedStreams.incrementAndGet();
        }
    }

    /// Sends a request and reads nothing. Little of the answer fits into the socket's buffer.
    private Socket ask(UUID owner) throws IOException {
        return ask(owner, "/large");
    }

    private Socket ask(UUID owner, String what) throws IOException {
        var socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(4096);
        socket.setSoTimeout(30_000);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        socket.getOutputStream()
                .write(
                        ("GET /api/" + owner + what + " HTTP/1.1\r\nHost: h\r\n\r\n")
                                .getBytes(US_ASCII));
        return socket;
    }

    private HttpResponse<byte[]> get(UUID owner, String what, String... headers)
            throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.port() + "/api/" + owner + what));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    /// Reads what arrived, and returns whether the answer ends early.
    private static boolean isCutOff(Socket socket) {
        try {
            byte[] read = socket.getInputStream().readAllBytes();
            return new String(read, US_ASCII).startsWith("HTTP/1.1 200");
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private long held(UUID owner) {
        return memory.bytesByWorkspace().getOrDefault(owner, 0L);
    }

    @Test
    void hundreds_that_read_nothing_hold_a_bounded_part_and_others_are_answered() throws Exception {
        for (int each = 0; each < 300; each++) {
            ask(ATTACKER);
        }
        await().until(() -> held(ATTACKER) >= CAPACITY_BYTES / 2 - LARGE_BYTES);

        assertThat(get(OTHER, "/small").statusCode()).isEqualTo(200);
        assertThat(get(OTHER, "/large").body()).isEqualTo(Json.bytes(LARGE));
        var refused = get(ATTACKER, "/large");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).contains("1");
        assertThat(held(ATTACKER)).isLessThanOrEqualTo(CAPACITY_BYTES / 2);
        assertThat(built).hasValueLessThanOrEqualTo(CAPACITY_BYTES / 2 / LARGE_BYTES + 1);
    }

    @Test
    void streams_that_nobody_reads_hold_a_bounded_part_and_others_are_answered() throws Exception {
        for (int each = 0; each < 30; each++) {
            ask(ATTACKER, "/stream");
        }

        await().until(() -> get(ATTACKER, "/small").statusCode() == 503);

        assertThat(held(ATTACKER)).isBetween(1L, (long) CAPACITY_BYTES / 2);
        assertThat(get(OTHER, "/large").statusCode()).isEqualTo(200);
    }

    @Test
    void a_stream_ends_at_a_large_message_that_finds_no_room() throws Exception {
        memory.open(ATTACKER).growTo(CAPACITY_BYTES / 2 - LARGE_BYTES / 2);

        var answer = get(ATTACKER, "/stream");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
        assertThat(refusedStreams).hasValue(1);
    }

    @Test
    void clients_that_read_nothing_are_cut_off_when_their_workspace_asks_for_more()
            throws Exception {
        for (int each = 0; each < 30; each++) {
            ask(ATTACKER);
        }
        await().until(() -> get(ATTACKER, "/large").statusCode() == 503);
        nanoTime.addAndGet(Duration.ofSeconds(20).toNanos());

        await().until(() -> get(ATTACKER, "/large").statusCode() == 200);

        assertThat(sockets).anyMatch(UnreadAnswerTest::isCutOff);
    }

    @Test
    void a_large_object_arrives_whole_in_pieces_and_the_connection_goes_on() throws Exception {
        try (var socket = ask(OTHER)) {
            readLarge(socket);
            socket.getOutputStream()
                    .write(
                            ("GET /api/" + OTHER + "/large HTTP/1.1\r\nHost: h\r\n\r\n")
                                    .getBytes(US_ASCII));
            readLarge(socket);
        }
        await().until(() -> held(OTHER) == 0);
    }

    private static void readLarge(Socket socket) throws IOException {
        var read = new StringBuilder();
        byte[] part = new byte[64 << 10];
        while (read.indexOf("\r\n0\r\n\r\n", Math.max(0, read.length() - 8)) < 0) {
            int length = socket.getInputStream().read(part);
            assertThat(length).as("after " + read.length()).isPositive();
            read.append(new String(part, 0, length, US_ASCII));
        }
        assertThat(read).startsWith("HTTP/1.1 200").contains("Transfer-Encoding: chunked");
    }

    @Test
    void a_large_object_is_compressed_for_clients_that_prefer_it() throws Exception {
        var answer = get(OTHER, "/large", "Accept-Encoding", "gzip");

        assertThat(answer.headers().firstValue("Content-Encoding")).contains("gzip");
        try (var unpacked = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
            assertThat(unpacked.readAllBytes()).isEqualTo(Json.bytes(LARGE));
        }
    }

    @Test
    void a_small_answer_says_its_length() throws Exception {
        var answer = get(OTHER, "/small");

        assertThat(new String(answer.body(), UTF_8)).isEqualTo("{\"small\":true}");
        assertThat(answer.headers().firstValue("Content-Length")).contains("14");
    }

    @Test
    void the_head_of_a_large_object_has_no_body_and_gives_its_memory_back() throws Exception {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream()
                    .write(
                            ("HEAD /api/"
                                            + OTHER
                                            + "/large HTTP/1.1\r\n"
                                            + "Host: h\r\n"
                                            + "Connection: close\r\n\r\n")
                                    .getBytes(US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
                    .startsWith("HTTP/1.1 200")
                    .endsWith("\r\n\r\n");
        }
        await().until(() -> held(OTHER) == 0);
    }
}
