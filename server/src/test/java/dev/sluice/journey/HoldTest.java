package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;

/// Tests paused, disabled and deleted resources, and what happens to the deliveries that wait
/// there.
class HoldTest {

    private static final ManualClock clock = ManualClock.ofNow();

    @AutoClose private static final RunningSluice sluice = RunningSluice.start(clock);

    private static final ApiClient api = sluice.api();

    private Receiver receiver;
    private ApiClient.ApiResponse source;
    private ApiClient.ApiResponse destination;
    private ApiClient.ApiResponse connection;

    @BeforeEach
    void open() {
        receiver = Receiver.start();
        source = api.source("s");
        destination =
                api.destination(receiver.url(), ", 'retry_policy': {'intervals_seconds': [30]}");
        connection = api.connect(source, destination);
    }

    @AfterEach
    void shut() throws IOException {
        receiver.close();
    }

    @Test
    void a_paused_source_takes_in_and_sends_nothing() {
        patch("sources", source, "{'status': 'paused'}");

        var event = ingest();

        assertThat(event.status()).isEqualTo(200);
        isHeld(event, "Held: the source is paused. It is sent when the source is active again.");
        var delivery = EventReader.delivery(api, event);
        assertThat(delivery.path("hold").asString()).isEqualTo("source_paused");
        var list = api.get("/api/v1/deliveries?source_id=" + source.text("id")).json();
        assertThat(list.path("items").get(0).path("hold").asString()).isEqualTo("source_paused");
    }

    @Test
    void what_a_paused_source_took_in_is_sent_when_it_is_active_again() {
        patch("sources", source, "{'status': 'paused'}");
        var first = ingest();
        var second = ingest();

        patch("sources", source, "{'status': 'active'}");

        var delivered = EventReader.delivery(api, first, "succeeded");
        EventReader.delivery(api, second, "succeeded");
        assertThat(delivered.path("hold").isNull()).isTrue();
        assertThat(receiver.requests()).hasSize(2);
    }

    @Test
    void what_waits_at_a_paused_destination_is_sent_when_it_is_active_again() {
        patch("destinations", destination, "{'status': 'paused'}");
        var event = ingest();
        isHeld(
                event,
                "Held: the destination is paused. It is sent when the destination is active"
                        + " again.");

        patch("destinations", destination, "{'status': 'active'}");

        EventReader.delivery(api, event, "succeeded");
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void a_paused_destination_does_not_hold_up_another() throws IOException {
        try (var other = Receiver.start()) {
            api.connect(source, api.destination(other.url(), ""));
            patch("destinations", destination, "{'status': 'paused'}");

            ingest();

            await().untilAsserted(() -> assertThat(other.requests()).hasSize(1));
            assertThat(receiver.requests()).isEmpty();
        }
    }

    @Test
    void a_disabled_connection_gets_no_new_deliveries() {
        patch("connections", connection, "{'enabled': false}");

        var event = ingest();

        assertThat(EventReader.detail(api, event).path("deliveries")).isEmpty();
    }

    @Test
    void what_waits_on_a_disabled_connection_is_sent_when_it_is_enabled_again() {
        receiver.willAnswer(503, 200);
        var event = ingest();
        EventReader.deliveryAfter(1, api, event);
        patch("connections", connection, "{'enabled': false}");
        clock.advance(Duration.ofSeconds(36));
        assertThat(EventReader.delivery(api, event).path("reason").asString())
                .isEqualTo(
                        "Held: the connection is disabled. It is sent when the connection is"
                                + " enabled again.");

        patch("connections", connection, "{'enabled': true}");

        EventReader.delivery(api, event, "succeeded");
        assertThat(receiver.requests()).hasSize(2);
    }

    @Test
    void a_retry_that_falls_due_while_its_source_is_paused_waits() {
        receiver.willAnswer(503, 200);
        var event = ingest();
        EventReader.deliveryAfter(1, api, event);
        patch("sources", source, "{'status': 'paused'}");
        clock.advance(Duration.ofSeconds(36));
        assertThat(EventReader.delivery(api, event).path("status").asString()).isEqualTo("pending");

        patch("sources", source, "{'status': 'active'}");

        assertThat(EventReader.delivery(api, event, "succeeded").path("attempt_count").asInt())
                .isEqualTo(2);
    }

    @Test
    void what_waits_on_a_connection_that_is_deleted_fails() {
        patch("sources", source, "{'status': 'paused'}");
        var event = ingest();

        assertThat(api.delete("/api/v1/connections/" + connection.text("id")).status())
                .isEqualTo(204);

        var failed = EventReader.delivery(api, event, "failed");
        assertThat(failed.path("reason").asString())
                .isEqualTo("Failed: the connection was deleted before this could be delivered.");
        assertThat(failed.path("attempts")).isEmpty();
        assertThat(failed.path("destination_name").asString()).isEqualTo("d");
        assertThat(failed.path("next_attempt_at").isNull()).isTrue();
    }

    @Test
    void what_waits_for_a_destination_that_is_deleted_fails() {
        patch("destinations", destination, "{'status': 'paused'}");
        var event = ingest();

        assertThat(api.delete("/api/v1/destinations/" + destination.text("id")).status())
                .isEqualTo(204);

        var failed = EventReader.delivery(api, event, "failed");
        assertThat(failed.path("reason").asString())
                .isEqualTo("Failed: the destination was deleted before this could be delivered.");
        assertThat(failed.path("destination_name").asString()).isEqualTo("d");
    }

    @Test
    void a_retry_that_is_not_due_yet_fails_with_its_connection_too() {
        receiver.willAnswer(503);
        var event = ingest();
        EventReader.deliveryAfter(1, api, event);

        api.delete("/api/v1/connections/" + connection.text("id"));

        var failed = EventReader.delivery(api, event, "failed");
        assertThat(failed.path("attempt_count").asInt()).isEqualTo(1);
        assertThat(failed.path("attempts")).hasSize(1);
        assertThat(failed.path("reason").asString())
                .isEqualTo("Failed: the connection was deleted before this could be delivered.");
    }

    @Test
    void new_events_make_no_deliveries_to_what_is_deleted() {
        api.delete("/api/v1/destinations/" + destination.text("id"));

        var event = ingest();

        assertThat(event.status()).isEqualTo(200);
        assertThat(EventReader.detail(api, event).path("deliveries")).isEmpty();
    }

    private ApiClient.ApiResponse ingest() {
        return api.ingest(source.text("ingest_path"), "{}");
    }

    private void isHeld(ApiClient.ApiResponse event, String reason) {
        var delivery = EventReader.delivery(api, event);
        assertThat(delivery.path("status").asString()).isEqualTo("pending");
        assertThat(delivery.path("attempt_count").asInt(-1)).isZero();
        assertThat(delivery.path("reason").asString()).isEqualTo(reason);
        assertThat(receiver.requests()).isEmpty();
    }

    private static void patch(String kind, ApiClient.ApiResponse of, String json) {
        assertThat(api.patch("/api/v1/" + kind + "/" + of.text("id"), json).status())
                .isEqualTo(200);
    }
}
