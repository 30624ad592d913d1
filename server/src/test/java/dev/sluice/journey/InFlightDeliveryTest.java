package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;

/// Tests how the API shows a delivery while its attempt is in flight.
class InFlightDeliveryTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    private static Receiver.ReceiverBehaviour hanging() {
        return new Receiver.DelayedBehaviour(Duration.ofMinutes(1), Receiver.answer(200, ""));
    }

    @Test
    void an_attempt_on_the_wire_for_more_than_a_second_reads_delivering() throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willDo(hanging());
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ", 'timeout_ms': 30000"));

            var accepted = api.ingest(source.text("ingest_path"), "{}");

            assertThat(EventReader.delivery(api, accepted).path("status").asString())
                    .as("not a second yet, or on a slow machine already")
                    .isIn("pending", "delivering");
            var delivery = EventReader.delivery(api, accepted, "delivering");
            assertThat(delivery.path("reason").asString())
                    .isEqualTo("Being delivered: the first attempt is under way.");
        }
    }

    @Test
    void a_retry_on_the_wire_reads_delivering_too() throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willDo(Receiver.answer(503, ""), hanging());
            var source = api.source("s");
            api.connect(
                    source,
                    api.destination(
                            receiver.url(),
                            ", 'timeout_ms': 30000, 'retry_policy': {'intervals_seconds': [1]}"));

            var accepted = api.ingest(source.text("ingest_path"), "{}");

            var delivery = EventReader.delivery(api, accepted, "delivering");
            assertThat(delivery.path("attempt_count").asInt()).isEqualTo(1);
            assertThat(delivery.path("reason").asString())
                    .isEqualTo("Being delivered: retry 1 is under way.");
        }
    }

    @Test
    void a_delivery_that_waits_in_memory_for_its_turn_reads_pending() throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willDo(hanging());
            var source = api.source("s");
            api.connect(
                    source,
                    api.destination(receiver.url(), ", 'timeout_ms': 30000, 'max_in_flight': 1"));
            var first = api.ingest(source.text("ingest_path"), "{}");
            await().until(() -> receiver.requests().size() == 1);

            var second = api.ingest(source.text("ingest_path"), "{}");

            EventReader.delivery(api, first, "delivering");
            await().during(Duration.ofMillis(1_500))
                    .until(() ->
                            EventReader.delivery(api, second)
                                    .path("status")
                                    .asString()
                                    .equals("pending"));
            assertThat(EventReader.delivery(api, second).path("reason").asString())
                    .isEqualTo("In line for its first attempt.");
        }
    }
}
