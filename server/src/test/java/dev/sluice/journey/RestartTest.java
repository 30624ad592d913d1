package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

class RestartTest {

    @TempDir Path dataDir;

    @Test
    void everything_is_there_after_a_restart() throws IOException {
        try (var receiver = Receiver.start();
                var sluice = RunningSluice.start(dataDir)) {
            var api = sluice.api();
            var source = api.source("s");
            var destination =
                    api.destination(
                            receiver.url(),
                            ", 'auth_config': {'type': 'api_key', 'header': 'X-Key', 'key': 'k'}");
            var connection = api.connect(source, destination);
            var event = api.ingest(source.text("ingest_path"), "{}");
            EventReader.delivery(api, event, "succeeded");
            var detail = EventReader.detail(api, event);

            sluice.restart();

            var after = sluice.api();
            assertThat(read(after, "sources", source).json()).isEqualTo(source.json());
            assertThat(read(after, "destinations", destination).json())
                    .isEqualTo(destination.json());
            assertThat(read(after, "connections", connection).json()).isEqualTo(connection.json());
            assertThat(EventReader.detail(after, event)).isEqualTo(detail);
            assertThat(after.get("/api/v1/events").json().path("total").asInt()).isEqualTo(1);
            var next = after.ingest(source.text("ingest_path"), "{}");
            EventReader.delivery(after, next, "succeeded");
            assertThat(receiver.requests().get(1).values("X-Key")).containsExactly("k");
        }
    }

    @Test
    void what_was_held_goes_on_waiting_and_is_sent_when_it_may_be() throws IOException {
        try (var receiver = Receiver.start();
                var sluice = RunningSluice.start(dataDir)) {
            var api = sluice.api();
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            api.patch("/api/v1/sources/" + source.text("id"), "{'status': 'paused'}");
            var event = api.ingest(source.text("ingest_path"), "{}");

            sluice.restart();

            var after = sluice.api();
            assertThat(EventReader.delivery(after, event).path("status").asString())
                    .isEqualTo("pending");
            after.patch("/api/v1/sources/" + source.text("id"), "{'status': 'active'}");
            EventReader.delivery(after, event, "succeeded");
            assertThat(receiver.requests()).hasSize(1);
        }
    }

    @Test
    void an_attempt_that_takes_nearly_as_long_as_it_may_by_default_ends_before_the_stop()
            throws IOException {
        try (var receiver = Receiver.start();
                var sluice = RunningSluice.start(dataDir)) {
            receiver.willDo(
                    new Receiver.DelayedBehaviour(Duration.ofSeconds(9), Receiver.answer(200, "")));
            var api = sluice.api();
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            var event = api.ingest(source.text("ingest_path"), "{}");
            await().until(() -> receiver.requests().size() == 1);

            sluice.restart();

            assertThat(EventReader.delivery(sluice.api(), event).path("status").asString())
                    .isEqualTo("succeeded");
            assertThat(receiver.requests()).hasSize(1);
        }
    }

    @Test
    void a_retry_that_fell_due_while_it_was_stopped_is_made_after_the_start() throws IOException {
        var clock = ManualClock.ofNow();
        try (var receiver = Receiver.start();
                var sluice = RunningSluice.start(dataDir, clock, Map.of())) {
            receiver.willAnswer(503, 200);
            var api = sluice.api();
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            var event = api.ingest(source.text("ingest_path"), "{}");
            EventReader.deliveryAfter(1, api, event);

            clock.advance(Duration.ofSeconds(36));
            sluice.restart();

            EventReader.delivery(sluice.api(), event, "succeeded");
            assertThat(receiver.requests().getLast().values("X-Service-Attempt"))
                    .containsExactly("2");
        }
    }

    @Test
    void a_stop_lets_what_is_on_the_wire_end() throws IOException {
        try (var receiver = Receiver.start();
                var sluice = RunningSluice.start(dataDir, InstantSource.system(), Map.of())) {
            receiver.willDo(
                    new Receiver.DelayedBehaviour(
                            Duration.ofMillis(500), Receiver.answer(200, "done")));
            var api = sluice.api();
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            var event = api.ingest(source.text("ingest_path"), "{}");
            await().untilAsserted(() -> assertThat(receiver.requests()).hasSize(1));

            sluice.restart();

            assertThat(EventReader.delivery(sluice.api(), event).path("status").asString())
                    .isEqualTo("succeeded");
            assertThat(receiver.requests()).hasSize(1);
        }
    }

    private static ApiClient.ApiResponse read(
            ApiClient api, String kind, ApiClient.ApiResponse of) {
        return api.get("/api/v1/" + kind + "/" + of.text("id"));
    }
}
