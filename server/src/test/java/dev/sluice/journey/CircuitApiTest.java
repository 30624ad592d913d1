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

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Tests what the API shows of a destination that fails again and again.
class CircuitApiTest {

    /// The cooldown and the tenth of it by which a probe may come later.
    private static final Duration PROBE_TIME = Duration.ofSeconds(99);

    private final Instant opened = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private final ManualClock clock = new ManualClock(opened);

    @AutoClose
    private final RunningSluice sluice =
            RunningSluice.start(clock, Map.of("SLUICE_CIRCUIT_COOLDOWN", "90s"));

    private ApiClient api = sluice.api();
    private Receiver receiver;
    private ApiClient.ApiResponse source;
    private ApiClient.ApiResponse destination;
    private ApiClient.ApiResponse connection;

    @BeforeEach
    void open() {
        receiver = Receiver.start();
        source = api.source("s");
        destination = api.destination(receiver.url(), ", 'max_in_flight': 1");
        connection = api.connect(source, destination);
    }

    @AfterEach
    void shut() throws IOException {
        receiver.close();
    }

    private ApiClient.ApiResponse ingest() {
        var answer = api.ingest(source.text("ingest_path"), "{}");
        assertThat(answer.status()).isEqualTo(200);
        return answer;
    }

    private JsonNode circuit() {
        return api.get("/api/v1/destinations/" + destination.text("id")).json();
    }

    /// The destination as shown in each reply that contains a connection.
    private List<JsonNode> shownByConnections() {
        String one = "/api/v1/connections/" + connection.text("id");
        String ofSource = "/api/v1/sources/" + source.text("id") + "/connections";
        return Stream.of(
                        api.get(one).json(),
                        api.patch(one, "{'enabled': true}").json(),
                        api.get("/api/v1/connections").json().path("items").path(0),
                        api.get(ofSource).json().path("items").path(0))
                .map(shown -> shown.path("destination"))
                .toList();
    }

    private JsonNode delivery(ApiClient.ApiResponse event) {
        return api.get("/api/v1/events/" + event.text("request_id"))
                .json()
                .path("deliveries")
                .path(0);
    }

    private void awaitCircuit(String state) {
        await().until(() -> circuit().path("circuit_state").asString().equals(state));
    }

    private void fail() {
        receiver.willAnswer(503);
        for (int i = 0; i < 5; i++) {
            ingest();
        }
        awaitCircuit("open");
    }

    @Test
    void an_open_circuit_is_shown_and_what_waits_says_so_without_an_attempt() {
        fail();
        var event = ingest();

        assertThat(Instant.parse(circuit().path("circuit_reopen_at").asString()))
                .isEqualTo(opened.plusSeconds(90));
        assertThat(shownByConnections())
                .extracting(shown -> shown.path("circuit_state").asString())
                .containsOnly("open");
        assertThat(shownByConnections())
                .extracting(shown -> shown.path("circuit_reopen_at"))
                .containsOnly(circuit().path("circuit_reopen_at"));
        var delivery = delivery(event);
        assertThat(delivery.path("status").asString()).isEqualTo("pending");
        assertThat(delivery.path("attempt_count").asInt()).isZero();
        assertThat(delivery.path("next_attempt_at")).isEqualTo(circuit().path("circuit_reopen_at"));
        assertThat(delivery.path("hold").asString()).isEqualTo("circuit_open");
        assertThat(delivery.path("reason").asString())
                .startsWith("Held: circuit open, probe at ")
                .endsWith("Z: Destination answered 503.");
        assertThat(receiver.requests()).hasSize(5);
    }

    @Test
    void after_the_cooldown_a_probe_that_succeeds_closes_it_and_all_is_delivered() {
        fail();
        var event = ingest();
        receiver.willAnswer(200);
        clock.advance(PROBE_TIME);

        awaitCircuit("closed");
        assertThat(circuit().path("circuit_reopen_at").isNull()).isTrue();
        await().until(() -> delivery(event).path("status").asString().equals("succeeded"));
    }

    @Test
    void a_probe_under_way_reads_half_open() {
        fail();
        var event = ingest();
        receiver.willDo(new Receiver.ScriptedResponse("", Receiver.ConnectionAction.STALL));
        clock.advance(PROBE_TIME);
        awaitCircuit("half_open");
        assertThat(receiver.requests().size()).isLessThanOrEqualTo(6);

        var waiting = ingest();

        assertThat(delivery(waiting).path("reason").asString())
                .isEqualTo("Held: the circuit is recovering; one delivery is being tried.");
        assertThat(delivery(event).path("status").asString()).isIn("pending", "delivering");
    }

    @Test
    void a_restart_finds_it_open_and_with_an_elapsed_cooldown_it_stays_open_until_a_probe() {
        fail();
        api.delete(
                "/api/v1/sources/"
                        + source.text("id")); // holds the delivery that could be sent as a probe
        sluice.restart();
        api = sluice.api();
        assertThat(circuit().path("circuit_state").asString()).isEqualTo("open");

        clock.advance(Duration.ofSeconds(91));
        sluice.restart();
        api = sluice.api();

        assertThat(circuit().path("circuit_state").asString()).isEqualTo("open");
        assertThat(Instant.parse(circuit().path("circuit_reopen_at").asString()))
                .isBefore(clock.instant());
    }
}
