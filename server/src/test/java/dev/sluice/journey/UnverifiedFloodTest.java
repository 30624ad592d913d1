package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/// Attacks a source with webhooks that fail verification.
class UnverifiedFloodTest {

    @TempDir Path dataDir;

    private static ApiClient.ApiResponse guarded(ApiClient api, String name) {
        var source = api.source(name);
        api.patch(
                "/api/v1/sources/" + source.text("id"),
                "{'verification_config': {'provider': 'api_key', 'header': 'X-Key',"
                        + " 'key': 'hunter2-hunter2'}}");
        return source;
    }

    private static ApiClient.ApiResponse send(
            ApiClient api, ApiClient.ApiResponse source, String key, byte[] body) {
        return api.send(
                api.anonymous(source.text("ingest_path"))
                        .header("X-Key", key)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    }

    private static int stored(ApiClient api, ApiClient.ApiResponse source) {
        return api.get("/api/v1/events?source_id=" + source.text("id"))
                .json()
                .path("total")
                .asInt();
    }

    private static Map<String, Long> refusals(ApiClient api, ApiClient.ApiResponse source) {
        var counts = new HashMap<String, Long>();
        for (var item :
                api.get("/api/v1/sources/" + source.text("id") + "/refusals")
                        .json()
                        .path("items")) {
            counts.merge(
                    item.path("status").asInt() + " " + item.path("reason").asString(),
                    item.path("count").asLong(),
                    Long::sum);
        }
        return counts;
    }

    @Test
    void a_flood_is_stored_up_to_a_hundred_events_and_then_only_counted() throws IOException {
        var free = new AtomicReference<>(0.5);
        try (var sluice = RunningSluice.startOnDisk(dataDir, free::get)) {
            var api = sluice.api();
            var flooded = guarded(api, "flooded");
            var neighbour = guarded(api, "neighbour");
            var first = send(api, flooded, "wrong", new byte[9]);
            for (int i = 1; i < 130; i++) {
                assertThat(send(api, flooded, "wrong", new byte[9]).status()).isEqualTo(401);
            }
            var last = send(api, flooded, "wrong", new byte[9]);

            assertThat(last.status()).isEqualTo(401);
            assertThat(last.body())
                    .as("the sender cannot tell whether it was stored")
                    .isEqualTo(first.body());
            assertThat(last.header("Content-Security-Policy"))
                    .isEqualTo(first.header("Content-Security-Policy"));
            assertThat(stored(api, flooded)).isEqualTo(100);
            await().untilAsserted(() ->
                    assertThat(refusals(api, flooded))
                            .isEqualTo(
                                    Map.of(
                                            "401 verification_failed", 100L,
                                            "401 unverified_not_stored", 31L)));
            assertThat(
                            api.get("/api/v1/stats/overview?source_ids=" + flooded.text("id"))
                                    .json()
                                    .path("totals")
                                    .path("refused")
                                    .path("401")
                                    .asLong())
                    .isEqualTo(131);

            assertThat(send(api, flooded, "hunter2-hunter2", new byte[9]).status()).isEqualTo(200);
            send(api, neighbour, "wrong", new byte[9]);
            assertThat(stored(api, neighbour)).isEqualTo(1);
        }
    }

    @Test
    void a_flood_of_large_webhooks_is_stored_up_to_ten_mebibytes() throws IOException {
        var free = new AtomicReference<>(0.5);
        try (var sluice = RunningSluice.startOnDisk(dataDir, free::get)) {
            var api = sluice.api();
            var flooded = guarded(api, "flooded");
            for (int i = 0; i < 20; i++) {
                assertThat(send(api, flooded, "wrong", new byte[1 << 20]).status()).isEqualTo(401);
            }

            assertThat(stored(api, flooded)).as("headers count too").isEqualTo(9);
        }
    }

    @Test
    void with_little_disk_left_what_fails_verification_is_only_counted() throws IOException {
        var free = new AtomicReference<>(0.19);
        try (var sluice = RunningSluice.startOnDisk(dataDir, free::get)) {
            var api = sluice.api();
            var flooded = guarded(api, "flooded");
            await().untilAsserted(() -> {
                int before = stored(api, flooded);
                assertThat(send(api, flooded, "wrong", new byte[9]).status()).isEqualTo(401);
                assertThat(stored(api, flooded)).isEqualTo(before);
            });
            assertThat(send(api, flooded, "hunter2-hunter2", new byte[9]).status()).isEqualTo(200);

            free.set(0.21);
            await().untilAsserted(() -> {
                int before = stored(api, flooded);
                assertThat(send(api, flooded, "wrong", new byte[9]).status()).isEqualTo(401);
                assertThat(stored(api, flooded)).isEqualTo(before + 1);
            });
        }
    }
}
