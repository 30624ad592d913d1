package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.engine.EventId;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Damage;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.UUID;

/// Tests that an event whose payload is damaged, and its deliveries, can still be looked at. The
/// log line `payload.read_failed` names such a delivery.
class UnreadableEventTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void the_event_is_shown_without_its_payload_and_its_delivery_needs_none() {
        var source = api.source("Shop");
        var destination = api.destination("http://127.0.0.1:8099/", ", 'status': 'paused'");
        api.connect(source, destination);
        String event = api.ingest(source.text("ingest_path"), randomBody()).text("request_id");
        try (var db = sluice.db()) {
            Damage.remove(db, new EventId(UUID.fromString(event)), "body");
        }

        var shown = api.get("/api/v1/events/" + event);
        assertThat(shown.status()).as(shown.body()).isEqualTo(200);
        assertThat(shown.json().path("payload_unreadable").asBoolean()).isTrue();
        assertThat(shown.json().path("body_size").asInt()).isEqualTo(randomBody().length());
        for (String field : new String[] {"headers", "header_list", "body"}) {
            assertThat(shown.json().has(field)).as(field).isFalse();
        }
        assertThat(shown.json().path("event_type").isNull()).isTrue();
        var delivery = shown.json().path("deliveries").path(0);
        assertThat(delivery.path("destination_id").asString()).isEqualTo(destination.text("id"));

        var alone = api.get("/api/v1/deliveries/" + delivery.path("id").asString());
        assertThat(alone.status()).as(alone.body()).isEqualTo(200);
        assertThat(alone.text("event_id")).isEqualTo(event);
        assertThat(alone.text("reason")).isEqualTo(delivery.path("reason").asString());
    }

    /// Does not compress well, so that it is stored out of line.
    private static String randomBody() {
        var random = new Random(1);
        var body = new StringBuilder();
        while (body.length() < 2 * Damage.TOASTED_BODY_BYTES) {
            body.append((char) random.nextInt('#', '~'));
        }
        return body.toString().replace('\'', '.');
    }
}
