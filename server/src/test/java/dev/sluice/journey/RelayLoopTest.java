package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpRequest;

/// Sources whose destination is their own ingest URL. Their settings were saved before the name of
/// the hop header was reserved, so the tests write the rows themselves.
class RelayLoopTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void an_api_key_in_the_hop_header_does_not_keep_a_loop_alive() {
        var source = api.source("loop");
        var destination = loopBack(source);
        StoredSettings.auth(
                sluice,
                destination,
                "{\"type\":\"api_key\",\"header\":\"X-Service-Hop\",\"key\":\"0\"}");
        api.connect(source, destination);

        var accepted = api.ingest(source.text("ingest_path"), "{}");

        assertThat(accepted.status()).isEqualTo(200);
        awaitLastEvent(source, 7);
    }

    @Test
    void a_credential_expected_in_the_hop_header_does_not_hide_the_count() {
        var source = api.source("loop");
        var destination = loopBack(source);
        StoredSettings.verification(
                sluice,
                source,
                "{\"provider\":\"api_key\",\"header\":\"X-Service-Hop\",\"key\":\"1\"}");
        api.connect(source, destination);

        var accepted =
                api.send(
                        api.anonymous(source.text("ingest_path"))
                                .header("X-Service-Hop", "1")
                                .POST(HttpRequest.BodyPublishers.ofString("{}")));

        assertThat(accepted.status()).isEqualTo(200);
        awaitLastEvent(source, 2);
    }

    private static ApiClient.ApiResponse loopBack(ApiClient.ApiResponse source) {
        return api.destination(
                "http://127.0.0.1:" + sluice.port() + source.text("ingest_path"), "");
    }

    /// Waits until the source has this many events, of which the last one has no deliveries and all
    /// others are finished. No further event can come then.
    private static void awaitLastEvent(ApiClient.ApiResponse source, int events) {
        await().untilAsserted(() -> {
            var items =
                    api.get("/api/v1/events?source_id=" + source.text("id")).json().path("items");
            assertThat(items).hasSize(events);
            assertThat(items.get(0).path("delivery_count").asInt()).isZero();
            assertThat(items).extracting(RelayLoopTest::pending).containsOnly(0);
        });
    }

    private static int pending(JsonNode event) {
        return event.path("pending_count").asInt();
    }
}
