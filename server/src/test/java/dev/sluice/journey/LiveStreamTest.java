package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.SseClient;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Tests live streams over two nodes of one relay, read by a client library.
class LiveStreamTest {

    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(20);

    @TempDir static Path directory;

    private static RunningSluice first;
    private static RunningSluice second;
    private static ApiClient api;

    private ApiClient.ApiResponse source;

    @BeforeAll
    static void start() {
        var clock = InstantSource.system();
        first = RunningSluice.start(directory.resolve("first"), clock, Map.of());
        second =
                RunningSluice.start(
                        directory.resolve("second"),
                        clock,
                        Map.of("SLUICE_DATABASE_URL", TestPostgres.url(first.database())));
        api = first.api();
    }

    @AfterAll
    static void stop() {
        second.close();
        first.close();
    }

    @BeforeEach
    void makeSource() {
        source = api.source("s");
        // The other node knows a new source half a second later.
        await().atMost(AWAIT_TIMEOUT)
                .until(() ->
                        api.onPort(second.port()).get(source.text("ingest_path")).status() == 200);
    }

    private String path(String kind) {
        return "/api/v1/sources/" + source.text("id") + "/" + kind;
    }

    private static SseClient open(RunningSluice node, String path) {
        var client = SseClient.open(node.port(), path, RunningSluice.API_KEY);
        client.awaitReady();
        return client;
    }

    /// Sends an event to a node and returns its id.
    private String send(RunningSluice node, String body) {
        var answer = api.onPort(node.port()).ingest(source.text("ingest_path"), body);
        assertThat(answer.status()).isEqualTo(200);
        return answer.text("request_id");
    }

    private static void awaitIds(SseClient client, List<String> ids) {
        await().atMost(AWAIT_TIMEOUT)
                .untilAsserted(() ->
                        assertThat(client.eventIds()).containsExactlyInAnyOrderElementsOf(ids));
    }

    @Test
    void a_tail_shows_the_metadata_of_every_nodes_events() {
        try (var client = open(second, path("tail"))) {
            var ids = List.of(send(first, "{\"n\": 1}"), send(second, "{\"n\": 2}"));
            awaitIds(client, ids);
            var item = client.messages("event").getFirst().data();
            assertThat(item.path("source_id").asString()).isEqualTo(source.text("id"));
            assertThat(item.path("method").asString()).isEqualTo("POST");
            assertThat(item.path("content_type").asString()).isEqualTo("application/json");
            assertThat(item.path("body_size").asInt()).isEqualTo(8);
            assertThat(item.path("verification_status").asString()).isEqualTo("skipped");
            assertThat(item.has("body")).isFalse();
        }
    }

    @Test
    void a_stream_carries_headers_and_body() {
        try (var client = open(first, path("stream"))) {
            send(second, "{\"text\": \"a\\nb\"}");
            await().atMost(AWAIT_TIMEOUT).until(() -> client.eventIds().size() == 1);
            var item = client.messages("event").getFirst().data();
            assertThat(item.path("body").asString()).isEqualTo("{\"text\": \"a\\nb\"}");
            assertThat(item.path("headers").path("Content-Type").asString())
                    .isEqualTo("application/json");
            assertThat(item.path("header_list").isEmpty()).isFalse();
        }
    }

    @Test
    void a_stream_continues_on_another_node_without_loss_and_without_doubles() {
        var ids = new ArrayList<String>();
        var seen = new ArrayList<String>();
        String lastId;
        try (var client = open(first, path("tail"))) {
            for (int i = 0; i < 5; i++) {
                ids.add(send(first, "1"));
                ids.add(send(second, "2"));
            }
            await().atMost(AWAIT_TIMEOUT).until(() -> client.eventIds().size() >= 7);
            // Wherever the client was when its connection broke, even within a round.
            var some = client.messages("event").subList(0, 7);
            some.forEach(message -> seen.add(message.data().path("id").asString()));
            lastId = some.getLast().id();
        }
        for (int i = 0; i < 5; i++) {
            ids.add(send(second, "3"));
        }
        try (var client =
                SseClient.open(second.port(), path("tail"), RunningSluice.API_KEY, lastId)) {
            client.awaitReady();
            ids.add(send(first, "4"));
            await().atMost(AWAIT_TIMEOUT)
                    .untilAsserted(() -> {
                        var all = new ArrayList<>(seen);
                        all.addAll(client.eventIds());
                        assertThat(all).containsExactlyInAnyOrderElementsOf(ids);
                    });
            assertThat(client.messages("gap")).isEmpty();
        }
    }
}
