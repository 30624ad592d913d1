package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.SseClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/// Tests when live streams are refused, and when they end.
class LiveStreamLimitsTest {

    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(60);

    @AutoClose
    private final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_WORKSPACE_PLAN", "free"));

    private final ApiClient api = sluice.api();
    private ApiClient.ApiResponse source;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    @BeforeEach
    void start() {
        source = api.source("s");
    }

    @AfterEach
    void stop() throws IOException {
        for (var socket : sockets) {
            socket.close();
        }
    }

    private String tail() {
        return "/api/v1/sources/" + source.text("id") + "/tail";
    }

    private SseClient open(String path) {
        return open(sluice, path);
    }

    private static SseClient open(RunningSluice node, String path) {
        var client = SseClient.open(node.port(), path, RunningSluice.API_KEY);
        client.awaitReady();
        return client;
    }

    /// Asks for a stream over a connection that the test itself reads, or does not.
    private static void request(Socket socket, String path) throws IOException {
        socket.getOutputStream()
                .write(
                        ("GET "
                                        + path
                                        + " HTTP/1.1\r\n"
                                        + "Host: localhost\r\n"
                                        + "Authorization: Bearer "
                                        + RunningSluice.API_KEY
                                        + "\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
    }

    private static void awaitEnd(SseClient client, String reason) {
        await().untilAsserted(() -> assertThat(client.messages("bye")).isNotEmpty());
        assertThat(client.messages("bye").getFirst().data().path("reason").asString())
                .isEqualTo(reason);
    }

    @Test
    void a_plan_has_room_for_so_many_streams_and_a_client_that_leaves_makes_room() {
        try (var other = open("/api/v1/stream")) {
            try (var one = open(tail())) {
                var refused = api.get(tail());
                assertThat(refused.status()).isEqualTo(429);
                assertThat(refused.errorCode()).isEqualTo("stream_limit_reached");
                assertThat(refused.header("Retry-After")).isPresent();
                assertThat(one.faults() + other.faults()).isZero();
            }
            try (var next = open(tail())) {
                assertThat(next.messages("ready")).hasSize(1);
            }
        }
    }

    @Test
    void the_limit_holds_over_all_nodes_and_usage_shows_the_streams_of_all() {
        try (var second = sluice.startBeside();
                var there = open(second, "/api/v1/stream")) {
            try (var _ = open(tail())) {
                for (var node : List.of(sluice, second)) {
                    assertThat(node.api().get(tail()).errorCode())
                            .isEqualTo("stream_limit_reached");
                    var usage = node.api().get("/api/v1/usage").json().path("concurrent_streams");
                    assertThat(usage.path("used").asInt()).isEqualTo(2);
                }
            }
            try (var next = open(second, tail())) {
                assertThat(next.messages("ready")).hasSize(1);
                assertThat(there.faults()).isZero();
            }
        }
    }

    @Test
    void the_last_place_is_given_once_however_many_ask_at_the_same_time() throws Exception {
        try (var second = sluice.startBeside();
                var _ = open(tail())) {
            var askers = new ArrayList<Callable<Boolean>>();
            for (int i = 0; i < 8; i++) {
                var node = i % 2 == 0 ? sluice : second;
                askers.add(() -> isOpened(node));
            }
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                int opened = 0;
                for (var asker : threads.invokeAll(askers)) {
                    opened += asker.get() ? 1 : 0;
                }
                assertThat(opened).isEqualTo(1);
            }
        }
    }

    /// Asks a node for a stream, and leaves it open. Returns whether the stream was opened.
    private boolean isOpened(RunningSluice node) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), node.port());
        sockets.add(socket);
        request(socket, tail());
        socket.setSoTimeout((int) AWAIT_TIMEOUT.toMillis());
        var line = new byte["HTTP/1.1 200".length()];
        assertThat(socket.getInputStream().readNBytes(line, 0, line.length)).isEqualTo(line.length);
        return new String(line, StandardCharsets.US_ASCII).endsWith("200");
    }

    @Test
    void a_smaller_plan_ends_the_newest_streams() {
        changePlan("pro");
        // A client tries again until each node knows the larger plan.
        try (var second = sluice.startBeside();
                var first = open(tail());
                var other = open(second, tail());
                var newer = open(tail());
                var newest = open(second, tail())) {
            changePlan("free");

            awaitEnd(newer, "stream_limit_reached");
            awaitEnd(newest, "stream_limit_reached");
            assertThat(first.messages("bye")).isEmpty();
            assertThat(other.messages("bye")).isEmpty();
        }
    }

    private void changePlan(String plan) {
        try (var db = sluice.db()) {
            db.run(tx -> {
                tx.update("update config_version set version = version + 1");
                tx.update(
                        """
                        update workspace
                           set plan = ?, version = (select version from config_version)
                        """,
                        plan);
            });
        }
    }

    @Test
    void a_node_that_was_taken_for_dead_registers_its_streams_again() {
        try (var second = sluice.startBeside();
                var db = sluice.db();
                var one = open(tail());
                var two = open(tail())) {
            db.run(tx ->
                    tx.update(
                            "update node set state = 'dead' where epoch = (select min(epoch) from"
                                    + " node)"));
            try (var late = open(second, tail())) {
                awaitEnd(late, "stream_limit_reached");
                assertThat(one.messages("bye")).isEmpty();
                assertThat(two.messages("bye")).isEmpty();
                await().untilAsserted(() ->
                        assertThat(second.api().get(tail()).errorCode())
                                .isEqualTo("stream_limit_reached"));
            }
        }
    }

    @Test
    void a_stream_goes_on_while_no_other_can_be_registered() {
        try (var client = open(tail());
                var db = sluice.db()) {
            db.run(tx -> {
                tx.update("lock table open_stream in access exclusive mode");
                var refused = api.get(tail());
                assertThat(refused.status()).as(refused.body()).isEqualTo(503);
                var id = api.ingest(source.text("ingest_path"), "1").text("request_id");
                await().untilAsserted(() -> assertThat(client.eventIds()).containsExactly(id));
            });
            assertThat(client.messages("bye")).isEmpty();
            try (var next = open(tail())) {
                assertThat(next.messages("ready")).hasSize(1);
            }
        }
    }

    @Test
    void a_stream_ends_with_its_source() {
        try (var client = open(tail())) {
            assertThat(api.delete("/api/v1/sources/" + source.text("id")).status()).isEqualTo(204);
            awaitEnd(client, "source_gone");
        }
    }

    @Test
    void a_stream_ends_with_its_connection() {
        var connection = api.connect(source, api.destination("http://127.0.0.1:8000/", ""));
        String path = "/api/v1/connections/" + connection.text("id");
        try (var client = open(tail() + "?connection_id=" + connection.text("id"))) {
            assertThat(api.delete(path).status()).isEqualTo(204);
            awaitEnd(client, "connection_gone");
        }
    }

    @Test
    void a_stream_ends_with_its_key() {
        try (var client = open("/api/v1/stream");
                var db = sluice.db()) {
            db.run(tx -> tx.update("delete from api_key"));
            awaitEnd(client, "access_ended");
        }
    }

    @Test
    void a_stream_ends_with_the_server_and_continues_after_its_restart() {
        var ids = new ArrayList<String>();
        String lastId;
        try (var client = open(tail())) {
            ids.add(api.ingest(source.text("ingest_path"), "1").text("request_id"));
            await().until(() -> client.eventIds().equals(ids));
            lastId = client.lastId();
            sluice.restart();
            awaitEnd(client, "server_stopping");
        }
        var later = sluice.api().ingest(source.text("ingest_path"), "2").text("request_id");
        try (var client = SseClient.open(sluice.port(), tail(), RunningSluice.API_KEY, lastId)) {
            await().untilAsserted(() -> assertThat(client.eventIds()).isEqualTo(List.of(later)));
        }
    }

    @Test
    void who_does_not_read_holds_up_nobody_and_gets_everything_once_he_reads() throws IOException {
        String body = "x".repeat(500_000);
        try (var stuck = new Socket(InetAddress.getLoopbackAddress(), sluice.port());
                var reader = open(tail())) {
            String path = "/api/v1/sources/" + source.text("id") + "/stream";
            request(stuck, path);
            await().until(() -> stuck.getInputStream().available() > 0);
            var ids = new ArrayList<String>();
            for (int i = 0; i < 20; i++) {
                ids.add(api.ingest(source.text("ingest_path"), body).text("request_id"));
            }
            await().untilAsserted(() ->
                    assertThat(reader.eventIds()).containsExactlyInAnyOrderElementsOf(ids));

            stuck.setSoTimeout((int) AWAIT_TIMEOUT.toMillis());
            var text = new StringBuilder();
            byte[] buffer = new byte[1 << 16];
            while (ids.stream().anyMatch(id -> text.indexOf(id) < 0)) {
                int length = stuck.getInputStream().read(buffer);
                assertThat(length).isPositive();
                text.append(
                        new String(buffer, 0, length, StandardCharsets.ISO_8859_1)
                                .replace("x", ""));
            }
            assertThat(text.toString().split("event: event", -1)).hasSize(ids.size() + 1);
        }
    }
}
