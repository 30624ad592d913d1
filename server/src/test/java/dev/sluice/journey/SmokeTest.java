package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class SmokeTest {

    @TempDir Path dataDir;

    @Test
    void an_accepted_webhook_is_listed() {
        try (var sluice = RunningSluice.start(dataDir)) {
            var api = sluice.api();
            var source = api.source("shop");

            var answer = api.ingest(source.text("ingest_path"), "{\"hello\":1}");

            assertThat(answer.status()).isEqualTo(200);
            assertThat(api.get("/api/v1/events/" + answer.text("request_id")).text("body"))
                    .isEqualTo("{\"hello\":1}");
            await().untilAsserted(() ->
                    assertThat(api.get("/api/v1/events").json().path("total").asInt())
                            .isEqualTo(1));
        }
    }
}
