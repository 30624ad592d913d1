package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.settle.CircuitBreaker;
import dev.sluice.engine.settle.CircuitBreaker.CircuitState;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.testkit.DeliveryState;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Which deliveries are sent while a destination's circuit opens, is open, and closes again.
class OpenCircuitTest {

    private static final String HOST = "a.example";
    private static final Duration COOLDOWN = Duration.ofSeconds(60);

    private final DispatchHarness harness = DispatchHarness.firstNode();
    private final SourceId source = harness.given.source();
    private final DestinationId destination = harness.given.destination(HOST, 1);
    private final ConnectionId connection = harness.given.connection(source, destination);

    @AfterEach
    void close() {
        harness.close();
    }

    private List<DeliveryId> accept(ConnectionId to, int deliveries) {
        var accepted = new ArrayList<DeliveryId>();
        for (int i = 0; i < deliveries; i++) {
            accepted.add(harness.accept(to));
        }
        return accepted;
    }

    private CircuitBreaker circuit() {
        return harness.circuits.of(destination);
    }

    private int sent() {
        return harness.sender.sentTo(HOST).size();
    }

    /// Opens the circuit with five deliveries that failed once, and writes it.
    private List<DeliveryId> opened() {
        harness.refreshConfiguration();
        harness.sender.alwaysAnswer(HOST, 503);
        var deliveries = accept(connection, 5);
        harness.awaitWritten(5);
        harness.circuits.run();
        assertThat(circuit().state()).isEqualTo(CircuitState.OPEN);
        return deliveries;
    }

    /// Runs rounds until exactly this many requests were sent in all.
    private void roundsUntilSent(int requests) {
        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.round();
                    return sent() >= requests;
                });
        harness.awaitIdle();
        harness.round();
        harness.awaitIdle();
        harness.round();
        harness.awaitIdle();
        assertThat(sent()).isEqualTo(requests);
    }

    @Test
    void after_the_fifth_failure_in_a_row_nothing_reaches_the_receiver() {
        harness.refreshConfiguration();
        harness.sender.alwaysAnswer(HOST, 503);
        harness.sender.hang(HOST);
        var deliveries = accept(connection, 20);
        harness.awaitSent(HOST, 1);
        harness.sender.release(HOST);
        harness.awaitWritten(20);
        harness.awaitIdle();

        assertThat(sent()).isEqualTo(5);
        assertThat(deliveries)
                .extracting(harness::stateOf)
                .containsOnly(DeliveryState.waiting(0), DeliveryState.waiting(1))
                .filteredOn(DeliveryState.waiting(1)::equals)
                .hasSize(5);
        assertThat(circuit().reopenAt()).contains(harness.clock.instant().plus(COOLDOWN));
    }

    @Test
    void with_many_in_flight_only_what_was_under_way_reaches_it_and_the_cooldown_is_one() {
        var wide = harness.given.destination("wide.example", 32);
        var lane = harness.given.connection(source, wide);
        harness.refreshConfiguration();
        harness.sender.alwaysAnswer("wide.example", 500);
        harness.sender.hang("wide.example");
        accept(lane, 200);
        harness.awaitSent("wide.example", 32);
        harness.sender.release("wide.example");
        harness.awaitWritten(200);
        harness.awaitIdle();
        harness.circuits.run();

        int requests = harness.sender.sentTo("wide.example").size();
        assertThat(requests).isBetween(32, 36); // four may go before the fifth failure is known
        assertThat(harness.circuits.of(wide).cooldown()).isEqualTo(COOLDOWN);
        assertThat(harness.count("attempt")).as("attempts made").isEqualTo(requests);
        assertThat(harness.count("delivery_work where attempts = 0")).isEqualTo(200 - requests);
    }

    @Test
    void new_deliveries_wait_and_nothing_is_read_or_sent_while_it_is_open() {
        opened();
        var late = harness.accept(connection);
        assertThat(harness.stateOf(late)).isEqualTo(DeliveryState.waiting(0));
        harness.backlogOf(connection, 1_000);
        harness.clock.advance(COOLDOWN.minusMillis(1));
        harness.round();

        assertThat(lane("owner is null")).isEqualTo(1);
        var reopenAt = circuit().reopenAt().orElseThrow();
        assertThat(wakeAt()).isBetween(reopenAt, reopenAt.plus(COOLDOWN.dividedBy(10)));
        harness.runLoopsOnce();
        harness.runLoopsOnce();
        assertThat(sent()).isEqualTo(5);
        assertThat(lane("owner is null")).as("asleep").isEqualTo(1);
    }

    private long lane(String where) {
        return harness.count("lane where " + where);
    }

    private Instant wakeAt() {
        return harness.db.call(
                tx -> tx.single("select wake_at from lane", row -> row.instant("wake_at")));
    }

    @Test
    void one_probe_is_sent_after_the_cooldown_the_oldest_that_is_due() {
        opened();
        var first = harness.accept(connection);
        harness.clock.advance(Duration.ofSeconds(1));
        accept(connection, 10);
        harness.clock.advance(COOLDOWN);
        harness.sender.hang(HOST);

        harness.round();
        harness.awaitSent(HOST, 6);
        for (int i = 0; i < 5; i++) {
            harness.round();
        }

        assertThat(circuit().state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(sent()).isEqualTo(6);
        // The retries of the five are due after 30 s, before all of the lane but `first`.
        assertThat(harness.sender.sentTo(HOST).getLast()).isEqualTo(first);
    }

    @Test
    void a_probe_that_fails_opens_it_again_for_twice_as_long_up_to_ten_minutes() {
        opened();
        accept(connection, 100);
        int requests = 5;
        for (int seconds : new int[] {60, 120, 240, 480, 600, 600}) {
            assertThat(circuit().cooldown()).hasSeconds(seconds);
            harness.clock.advance(Duration.ofSeconds(seconds).minusMillis(1));
            harness.round();
            assertThat(sent()).isEqualTo(requests);

            harness.clock.advance(Duration.ofMillis(1));
            roundsUntilSent(++requests);
            assertThat(circuit().state()).isEqualTo(CircuitState.OPEN);
        }
        assertThat(harness.count("delivery_work where attempts = 0")).isGreaterThanOrEqualTo(94);
    }

    @Test
    void a_probe_that_succeeds_closes_it_and_everything_is_sent() {
        var failed = opened();
        var waiting = accept(connection, 30);
        harness.sender.alwaysAnswer(HOST, 200);
        harness.clock.advance(COOLDOWN);

        harness.roundsUntilDone();

        assertThat(circuit().isHealthy()).isTrue();
        assertThat(failed).extracting(harness::stateOf).containsOnly(DeliveryState.succeeded(2));
        assertThat(waiting).extracting(harness::stateOf).containsOnly(DeliveryState.succeeded(1));
        assertThat(sent()).isEqualTo(5 + 35);
        harness.circuits.run();
        assertThat(harness.count("circuit where state = 'closed' and failures = 0")).isEqualTo(1);
    }

    @Test
    void closing_wakes_lanes_that_sleep_until_the_next_try() {
        var second = harness.given.connection(harness.given.source(), destination);
        opened();
        accept(connection, 1);
        accept(second, 1);
        harness.clock.advance(COOLDOWN);
        harness.sender.hang(HOST);
        harness.round(); // one lane has the probe, the other goes back to sleep
        harness.awaitSent(HOST, 6);
        harness.sender.alwaysAnswer(HOST, 200);
        harness.sender.release(HOST);
        harness.awaitWritten(6);

        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.runLoopsOnce(); // nothing else wakes lanes
                    return harness.count("delivery_work where attempts = 0") == 0;
                });
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 410})
    void a_refusal_proves_that_it_can_be_reached(int status) {
        opened();
        var probe = harness.accept(connection);
        harness.clock.advance(Duration.ofSeconds(1));
        harness.sender.alwaysAnswer(HOST, status);
        harness.clock.advance(COOLDOWN);
        harness.roundsUntilDone();

        assertThat(circuit().isHealthy()).isTrue();
        assertThat(harness.stateOf(probe))
                .isEqualTo(DeliveryState.failed(1, ErrorCode.HTTP_STATUS));
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 429})
    void answers_that_ask_for_patience_count_as_failures_also_of_a_probe(int status) {
        harness.refreshConfiguration();
        harness.sender.alwaysAnswer(HOST, status);
        accept(connection, 7);
        harness.awaitIdle();
        assertThat(sent()).isEqualTo(5);
        harness.circuits.run();

        harness.clock.advance(COOLDOWN);
        roundsUntilSent(6);
        assertThat(circuit().cooldown()).hasSeconds(120);
    }

    @Test
    void a_success_in_between_keeps_it_closed() {
        harness.refreshConfiguration();
        harness.sender.willAnswer(HOST, 500, 500, 500, 500, 200, 500, 500, 500, 500, 404);
        accept(connection, 30);
        harness.awaitWritten(30);

        assertThat(circuit().isHealthy()).isTrue();
        assertThat(sent()).isEqualTo(30);
    }

    @Test
    void another_destination_is_not_affected() {
        var other = harness.given.connection(source, harness.given.destination("b.example", 1));
        opened();
        var deliveries = accept(other, 10);
        harness.awaitWritten(15);

        assertThat(deliveries)
                .extracting(harness::stateOf)
                .containsOnly(DeliveryState.succeeded(1));
    }

    @Test
    void a_retry_that_is_not_due_is_no_probe_and_the_next_arrival_is() {
        opened();
        harness.sender.alwaysAnswer(HOST, 500);
        harness.clock.advance(COOLDOWN);
        roundsUntilSent(6); // a first retry; the second is due in two minutes
        harness.clock.advance(Duration.ofMinutes(2));
        roundsUntilSent(7);
        harness.clock.advance(Duration.ofMinutes(4));
        for (int requests = 8; harness.count("delivery_work where attempts < 3") > 0; requests++) {
            roundsUntilSent(requests);
            harness.clock.advance(Duration.ofMinutes(10));
        }
        harness.round();
        harness.round();
        assertThat(circuit().state()).as("with nothing to send").isEqualTo(CircuitState.OPEN);
        assertThat(circuit().isProbeDue(harness.clock.instant())).isTrue();

        int before = sent();
        harness.sender.alwaysAnswer(HOST, 200);
        var next = harness.accept(connection);
        assertThat(harness.stateOf(next)).isEqualTo(DeliveryState.waiting(0));
        roundsUntilSent(before + 1);
        DispatchHarness.awaitSoon()
                .untilAsserted(() ->
                        assertThat(harness.stateOf(next)).isEqualTo(DeliveryState.succeeded(1)));
        assertThat(circuit().isHealthy()).isTrue();
    }

    @Test
    void a_probe_that_is_held_is_given_back_and_its_turn_comes_when_the_hold_is_lifted() {
        opened();
        accept(connection, 3);
        harness.given.paused(destination, true);
        harness.refreshConfiguration();
        harness.clock.advance(COOLDOWN.plusSeconds(5));
        for (int i = 0; i < 3; i++) {
            harness.round();
        }
        assertThat(sent()).isEqualTo(5);
        assertThat(circuit().state()).as("nobody claims it").isEqualTo(CircuitState.OPEN);

        harness.given.paused(destination, false);
        harness.refreshConfiguration();
        harness.sender.alwaysAnswer(HOST, 200);
        harness.roundsUntilDone();
        assertThat(circuit().isHealthy()).isTrue();
    }

    @Test
    void a_probe_whose_event_is_gone_is_given_back_for_the_next() {
        opened();
        var first = harness.accept(connection);
        harness.clock.advance(Duration.ofSeconds(1));
        var second = harness.accept(connection);
        harness.db.run(tx -> tx.update("delete from event where id = ?", first.event().value()));
        harness.sender.alwaysAnswer(HOST, 200);
        harness.clock.advance(COOLDOWN);

        harness.roundsUntilDone();

        assertThat(harness.stateOf(first))
                .isEqualTo(DeliveryState.failed(0, ErrorCode.EVENT_EXPIRED));
        assertThat(harness.stateOf(second)).isEqualTo(DeliveryState.succeeded(1));
    }

    @Test
    void a_stop_gives_the_probe_back() {
        opened();
        accept(connection, 3);
        harness.clock.advance(COOLDOWN);
        harness.sender.hang(HOST);
        harness.round();
        harness.awaitSent(HOST, 6);
        var probe = circuit();
        assertThat(probe.state()).isEqualTo(CircuitState.HALF_OPEN);

        harness.stop(Duration.ofMillis(50));

        assertThat(harness.count("circuit where state = 'open'")).isEqualTo(1);
        assertThat(harness.count("delivery_work where attempts = 0")).isEqualTo(3);
    }

    @Test
    void a_node_that_starts_finds_it_open() {
        opened();
        accept(connection, 3);
        try (var other = DispatchHarness.anotherNode()) {
            other.refreshConfiguration();
            other.clock.advance(Duration.ofMillis(1)); // so that it generates other ids
            assertThat(other.circuits.of(destination)).isEqualTo(circuit());
            var delivery = other.accept(connection);
            assertThat(other.stateOf(delivery)).isEqualTo(DeliveryState.waiting(0));
            other.round();
            assertThat(other.sender.requests()).isEmpty();

            other.clock.advance(COOLDOWN);
            other.roundsUntilDone();
            assertThat(other.circuits.of(destination).isHealthy()).isTrue();
        }
    }

    @Test
    void two_nodes_with_a_lane_each_send_one_probe() {
        var second = harness.given.connection(harness.given.source(), destination);
        opened();
        harness.acceptWaiting(connection);
        harness.acceptWaiting(second);
        try (var other = DispatchHarness.anotherNode()) {
            other.refreshConfiguration();
            harness.clock.advance(COOLDOWN);
            other.clock.advance(COOLDOWN);
            harness.sender.hang(HOST);
            other.sender.hang(HOST);
            for (int i = 0; i < 5; i++) {
                harness.round();
                other.round();
            }
            DispatchHarness.awaitSoon().until(() -> sent() + other.sender.requests().size() >= 6);

            assertThat(sent() + other.sender.requests().size()).isEqualTo(6);
            assertThat(other.circuits.of(destination)).isEqualTo(circuit());
            harness.sender.release(HOST);
            other.sender.release(HOST);
        }
    }

    @Test
    void failures_on_two_nodes_add_up() {
        harness.refreshConfiguration();
        try (var other = DispatchHarness.anotherNode()) {
            other.refreshConfiguration();
            other.clock.advance(Duration.ofMillis(1)); // so that it generates other ids
            harness.sender.alwaysAnswer(HOST, 500);
            other.sender.alwaysAnswer(HOST, 500);
            accept(connection, 3);
            harness.awaitWritten(3);
            harness.circuits.run();
            other.circuits.run();
            assertThat(other.circuits.of(destination).failures()).isEqualTo(3);

            other.accept(connection);
            other.accept(connection);
            other.awaitWritten(2);
            other.circuits.run();
            harness.circuits.run();

            assertThat(circuit().state()).isEqualTo(CircuitState.OPEN);
            assertThat(circuit()).isEqualTo(other.circuits.of(destination));
        }
    }

    @Test
    void a_resend_lane_and_a_live_lane_share_one_probe() {
        opened();
        harness.backlogOf(connection, 3);
        harness.resendsOf(connection, 3);
        harness.clock.advance(COOLDOWN);
        harness.sender.hang(HOST);
        for (int i = 0; i < 5; i++) {
            harness.round();
        }
        harness.awaitSent(HOST, 6);
        harness.round();
        assertThat(sent()).isEqualTo(6);

        harness.sender.alwaysAnswer(HOST, 200);
        harness.sender.release(HOST);
        harness.roundsUntilDone();
        assertThat(sent()).isEqualTo(5 + 11);
    }

    @Test
    void a_thousand_lanes_share_one_probe_and_all_wake_when_it_succeeds() {
        var lanes = harness.given.connections(destination, 1_000);
        opened();
        lanes.forEach(lane -> harness.backlogOf(lane, 1));
        harness.runNode();
        harness.clock.advance(COOLDOWN);
        harness.sender.hang(HOST);
        harness.round();
        harness.awaitSent(HOST, 6);
        harness.round();
        assertThat(sent()).isEqualTo(6);
        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.runLoopsOnce(); // a round reads only so many lanes
                    return lane("owner is null") == 1_000;
                });
        assertThat(sent()).isEqualTo(6);

        harness.sender.alwaysAnswer(HOST, 200);
        harness.sender.release(HOST);
        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.runNode();
                    harness.runLoopsOnce();
                    return harness.count("delivery_work where attempts = 0") == 0;
                });
    }

    @Test
    void after_closing_attempts_widen_from_one_to_the_limit() {
        var wide = harness.given.destination("wide.example", 8);
        var lane = harness.given.connection(source, wide);
        harness.refreshConfiguration();
        harness.sender.alwaysAnswer("wide.example", 500);
        accept(lane, 5);
        harness.awaitWritten(5);
        harness.circuits.run();
        harness.backlogOf(lane, 100);
        harness.sender.alwaysAnswer("wide.example", 200);
        harness.clock.advance(COOLDOWN);
        harness.sender.answerOnPermit("wide.example");

        int done = 5;
        for (int width : new int[] {1, 1, 2, 4, 8, 8}) { // the probe, then one, two, four …
            int expected = width;
            DispatchHarness.awaitSoon()
                    .until(() -> {
                        harness.round();
                        return harness.sender.inFlight("wide.example") == expected;
                    });
            harness.round();
            assertThat(harness.sender.inFlight("wide.example")).isEqualTo(width);
            harness.sender.permit("wide.example", width);
            done += width;
            int written = done;
            harness.awaitWritten(written);
        }
        harness.sender.permit("wide.example", 1_000);
        harness.clock.advance(Duration.ofSeconds(30));
        harness.roundsUntilDone();
        assertThat(harness.sender.maxInFlight("wide.example")).isEqualTo(8);
    }
}
