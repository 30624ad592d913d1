package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.SseClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Tests when live streams are refused, and when they end.
class LiveStreamLimitsTest {

    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(60);

    @TempDir Path directory;

    private RunningSluice sluice;
    private ApiClient api;
    private ApiClient.ApiResponse source;

    @BeforeEach
    void start() {
        sluice =
                RunningSluice.start(
                        directory, InstantSource.system(), Map.of("SLUICE_WORKSPACE_PLAN", "free"));
        api = sluice.api();
        source = api.source("s");
    }

    @AfterEach
    void stop() {
        sluice.close();
    }

    private String tail() {
        return "/api/v1/sources/" + source.text("id") + "/tail";
    }

    private SseClient open(String path) {
        var client = SseClient.open(sluice.port(), path, RunningSluice.API_KEY);
        client.awaitReady();
        return client;
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
    void a_stream_ends_with_its_source() {
        try (var client = open(tail())) {
            assertThat(api.delete("/api/v1/sources/" + source.text("id")).status()).isEqualTo(204);
            awaitEnd(client, "source_gone");
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
            stuck.getOutputStream()
                    .write(
                            ("GET "
                                            + path
                                            + " HTTP/1.1\r\n"
                                            + "Host: localhost\r\n"
                                            + "Authorization: Bearer "
                                            + RunningSluice.API_KEY
                                            + "\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
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
