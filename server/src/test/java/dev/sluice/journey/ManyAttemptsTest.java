package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.UUID;

/// Tests an event whose deliveries have more attempts than one answer shows.
class ManyAttemptsTest {

    private static final int RESPONSE_BYTES = 16 << 10;
    private static final int DELIVERIES = 100;
    private static final int SHOWN = (1 << 20) / RESPONSE_BYTES;

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    @AutoClose private static final Db db = sluice.db();
    private static final ApiClient api = sluice.api();

    @Test
    void an_event_shows_the_attempts_of_its_newest_deliveries_and_where_the_others_are()
            throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willAnswer(410);
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            var accepted = api.ingest(source.text("ingest_path"), "{}");
            var event = new EventId(UUID.fromString(accepted.text("request_id")));
            EventReader.delivery(api, accepted, "failed");
            addDeliveries(event);

            var deliveries = EventReader.detail(api, accepted).path("deliveries");

            assertThat(deliveries).hasSize(DELIVERIES);
            for (int each = 0; each < DELIVERIES; each++) {
                boolean isShown = each >= DELIVERIES - SHOWN;
                assertThat(deliveries.get(each).path("attempts")).hasSize(isShown ? 1 : 0);
                assertThat(deliveries.get(each).has("attempts_path")).isEqualTo(!isShown);
            }
            var rest = api.get(deliveries.get(1).path("attempts_path").asString()).json();
            assertThat(response(rest)).hasSize(RESPONSE_BYTES);
            assertThat(rest.has("attempts_path")).isFalse();
        }
    }

    private static String response(JsonNode delivery) {
        return delivery.path("attempts").get(0).path("response_body").asString();
    }

    /// Copies the event's first delivery, with a longer response.
    private static void addDeliveries(EventId event) {
        db.run(tx -> {
            for (int ordinal = 2; ordinal <= DELIVERIES; ordinal++) {
                tx.update(
                        """
                        insert into delivery (id, finished_at, created_at, attempted_at, source_id, connection_id, revision,
                                              latency_ms, status, trigger, attempts, response_status, error_code,
                                              error_message, response_body, configuration)
                        select ?, finished_at, created_at, attempted_at, source_id, connection_id, revision,
                               latency_ms, status, trigger, attempts, response_status, error_code,
                               error_message, convert_to(repeat('x', ?), 'UTF8'), configuration
                          from delivery
                         where id = ?
                        """,
                        DeliveryId.of(event, ordinal).value(),
                        RESPONSE_BYTES,
                        DeliveryId.of(event, 1).value());
            }
        });
    }
}
