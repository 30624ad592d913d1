package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.circuit.Circuit;
import dev.sluice.relay.circuit.Circuit.State;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What is sent, and what is not, while a destination's circuit opens, is open and closes again.
class OpenCircuitTest {

    private static final String HOST = "a.example";
    private static final Duration COOLDOWN = Duration.ofSeconds(60);

    private final Engine engine = Engine.alone();
    private final SourceId source = engine.given.source();
    private final DestinationId destination = engine.given.destination(HOST, 1);
    private final ConnectionId connection = engine.given.connection(source, destination);

    @AfterEach
    void close() {
        engine.close();
    }

    private List<DeliveryId> accept(ConnectionId to, int deliveries) {
        var accepted = new ArrayList<DeliveryId>();
        for (int i = 0; i < deliveries; i++) {
            accepted.add(engine.accept(to));
        }
        return accepted;
    }

    private Circuit circuit() {
        return engine.circuits.of(destination);
    }

    private int sent() {
        return engine.sender.sentTo(HOST).size();
    }

    /// Nothing is being sent, and nothing that is in memory is still to be.
    private void awaitQuiet() {
        Engine.soon()
                .until(() ->
                        engine.dispatcher.permitsLeft() == Dispatcher.PERMITS
                                && engine.count("delivery_work where owner is not null") == 0);
    }

    /// With five deliveries that failed once, and the circuit written.
    private List<DeliveryId> opened() {
        engine.learn();
        engine.sender.alwaysAnswers(HOST, 503);
        var deliveries = accept(connection, 5);
        engine.awaitWritten(5);
        engine.circuits.run();
        assertThat(circuit().state()).isEqualTo(State.OPEN);
        return deliveries;
    }

    /// Rounds until so many requests were sent in all, and no more.
    private void roundsUntilSent(int requests) {
        Engine.soon()
                .until(() -> {
                    engine.round();
                    return sent() >= requests;
                });
        awaitQuiet();
        engine.round();
        engine.round();
        awaitQuiet();
        assertThat(sent()).isEqualTo(requests);
    }

    @Test
    void after_the_fifth_failure_in_a_row_nothing_reaches_the_receiver() {
        engine.learn();
        engine.sender.alwaysAnswers(HOST, 503);
        engine.sender.hang(HOST);
        var deliveries = accept(connection, 20);
        engine.awaitSent(HOST, 1);
        engine.sender.letGo(HOST);
        engine.awaitWritten(20);
        awaitQuiet();

        assertThat(sent()).isEqualTo(5);
        assertThat(deliveries)
                .extracting(engine::standing)
                .containsOnly("waiting 0", "waiting 1")
                .filteredOn("waiting 1"::equals)
                .hasSize(5);
        assertThat(circuit().reopenAt()).contains(engine.clock.instant().plus(COOLDOWN));
    }

    @Test
    void with_many_in_flight_only_what_was_under_way_reaches_it_and_the_cooldown_is_one() {
        var wide = engine.given.destination("wide.example", 32);
        var lane = engine.given.connection(source, wide);
        engine.learn();
        engine.sender.alwaysAnswers("wide.example", 500);
        engine.sender.hang("wide.example");
        accept(lane, 200);
        engine.awaitSent("wide.example", 32);
        engine.sender.letGo("wide.example");
        engine.awaitWritten(200);
        awaitQuiet();
        engine.circuits.run();

        int requests = engine.sender.sentTo("wide.example").size();
        assertThat(requests).isBetween(32, 36); // four may go before the fifth failure is known
        assertThat(engine.circuits.of(wide).cooldown()).isEqualTo(COOLDOWN);
        assertThat(engine.count("attempt")).as("attempts made").isEqualTo(requests);
        assertThat(engine.count("delivery_work where attempts = 0")).isEqualTo(200 - requests);
    }

    @Test
    void new_deliveries_wait_and_nothing_is_read_or_sent_while_it_is_open() {
        opened();
        var late = engine.accept(connection);
        assertThat(engine.standing(late)).isEqualTo("waiting 0");
        engine.backlogOf(connection, 1_000);
        engine.clock.advance(COOLDOWN.minusMillis(1));
        engine.round();

        assertThat(lane("owner is null")).isEqualTo(1);
        assertThat(wakeAt()).isEqualTo(circuit().reopenAt().orElseThrow());
        engine.turn();
        engine.turn();
        assertThat(sent()).isEqualTo(5);
        assertThat(lane("owner is null")).as("asleep").isEqualTo(1);
    }

    private long lane(String where) {
        return engine.count("lane where " + where);
    }

    private Instant wakeAt() {
        return engine.db.call(
                tx -> tx.single("select wake_at from lane", row -> row.instant("wake_at")));
    }

    @Test
    void one_probe_is_sent_after_the_cooldown_the_oldest_that_is_due() {
        opened();
        var first = engine.accept(connection);
        engine.clock.advance(Duration.ofSeconds(1));
        accept(connection, 10);
        engine.clock.advance(COOLDOWN);
        engine.sender.hang(HOST);

        engine.round();
        engine.awaitSent(HOST, 6);
        for (int i = 0; i < 5; i++) {
            engine.round();
        }

        assertThat(circuit().state()).isEqualTo(State.HALF_OPEN);
        assertThat(sent()).isEqualTo(6);
        // The retries of the five came due after 30 s, before anything else in the lane but this.
        assertThat(engine.sender.sentTo(HOST).getLast()).isEqualTo(first);
    }

    @Test
    void a_probe_that_fails_opens_it_again_for_twice_as_long_up_to_ten_minutes() {
        opened();
        accept(connection, 100);
        int requests = 5;
        for (int seconds : new int[] {60, 120, 240, 480, 600, 600}) {
            assertThat(circuit().cooldown()).hasSeconds(seconds);
            engine.clock.advance(Duration.ofSeconds(seconds).minusMillis(1));
            engine.round();
            assertThat(sent()).isEqualTo(requests);

            engine.clock.advance(Duration.ofMillis(1));
            roundsUntilSent(++requests);
            assertThat(circuit().state()).isEqualTo(State.OPEN);
        }
        assertThat(engine.count("delivery_work where attempts = 0")).isGreaterThanOrEqualTo(94);
    }

    @Test
    void a_probe_that_succeeds_closes_it_and_everything_is_sent() {
        var failed = opened();
        var waiting = accept(connection, 30);
        engine.sender.alwaysAnswers(HOST, 200);
        engine.clock.advance(COOLDOWN);

        engine.roundsUntilDone();

        assertThat(circuit().isHealthy()).isTrue();
        assertThat(failed).extracting(engine::standing).containsOnly("3 2");
        assertThat(waiting).extracting(engine::standing).containsOnly("3 1");
        assertThat(sent()).isEqualTo(5 + 35);
        engine.circuits.run();
        assertThat(engine.count("circuit where state = 'closed' and failures = 0")).isEqualTo(1);
    }

    @Test
    void closing_wakes_lanes_that_sleep_until_the_next_try() {
        var second = engine.given.connection(engine.given.source(), destination);
        opened();
        accept(connection, 1);
        accept(second, 1);
        engine.clock.advance(COOLDOWN);
        engine.sender.hang(HOST);
        engine.round(); // one lane has the probe, the other goes back to sleep
        engine.awaitSent(HOST, 6);
        engine.sender.alwaysAnswers(HOST, 200);
        engine.sender.letGo(HOST);
        engine.awaitWritten(6);

        Engine.soon()
                .until(() -> {
                    engine.turn(); // nobody else wakes lanes
                    return engine.count("delivery_work where attempts = 0") == 0;
                });
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 410})
    void a_refusal_proves_that_it_can_be_reached(int status) {
        opened();
        var probe = engine.accept(connection);
        engine.clock.advance(Duration.ofSeconds(1));
        engine.sender.alwaysAnswers(HOST, status);
        engine.clock.advance(COOLDOWN);
        engine.roundsUntilDone();

        assertThat(circuit().isHealthy()).isTrue();
        assertThat(engine.standing(probe)).isEqualTo("4 1 9");
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 429})
    void answers_that_ask_for_patience_count_as_failures_also_of_a_probe(int status) {
        engine.learn();
        engine.sender.alwaysAnswers(HOST, status);
        accept(connection, 7);
        awaitQuiet();
        assertThat(sent()).isEqualTo(5);
        engine.circuits.run();

        engine.clock.advance(COOLDOWN);
        roundsUntilSent(6);
        assertThat(circuit().cooldown()).hasSeconds(120);
    }

    @Test
    void a_success_in_between_keeps_it_closed() {
        engine.learn();
        engine.sender.willAnswer(HOST, 500, 500, 500, 500, 200, 500, 500, 500, 500, 404);
        accept(connection, 30);
        engine.awaitWritten(30);

        assertThat(circuit().isHealthy()).isTrue();
        assertThat(sent()).isEqualTo(30);
    }

    @Test
    void another_destination_is_not_affected() {
        var other = engine.given.connection(source, engine.given.destination("b.example", 1));
        opened();
        var deliveries = accept(other, 10);
        engine.awaitWritten(15);

        assertThat(deliveries).extracting(engine::standing).containsOnly("3 1");
    }

    @Test
    void a_retry_that_is_not_due_is_no_probe_and_the_next_arrival_is() {
        opened();
        engine.sender.alwaysAnswers(HOST, 500);
        engine.clock.advance(COOLDOWN);
        roundsUntilSent(6); // a first retry; its second is due in two minutes
        engine.clock.advance(Duration.ofMinutes(2));
        roundsUntilSent(7);
        engine.clock.advance(Duration.ofMinutes(4));
        for (int requests = 8; engine.count("delivery_work where attempts < 3") > 0; requests++) {
            roundsUntilSent(requests);
            engine.clock.advance(Duration.ofMinutes(10));
        }
        engine.round();
        engine.round();
        assertThat(circuit().state()).as("with nothing to try").isEqualTo(State.OPEN);
        assertThat(circuit().isDue(engine.clock.instant())).isTrue();

        int before = sent();
        engine.sender.alwaysAnswers(HOST, 200);
        var next = engine.accept(connection);
        assertThat(engine.standing(next)).isEqualTo("waiting 0");
        roundsUntilSent(before + 1);
        Engine.soon().untilAsserted(() -> assertThat(engine.standing(next)).isEqualTo("3 1"));
        assertThat(circuit().isHealthy()).isTrue();
    }

    @Test
    void a_probe_that_is_held_is_given_back_and_its_turn_comes_when_the_hold_is_lifted() {
        opened();
        accept(connection, 3);
        engine.given.paused(destination, true);
        engine.learn();
        engine.clock.advance(COOLDOWN.plusSeconds(5));
        for (int i = 0; i < 3; i++) {
            engine.round();
        }
        assertThat(sent()).isEqualTo(5);
        assertThat(circuit().state()).as("nobody claims it").isEqualTo(State.OPEN);

        engine.given.paused(destination, false);
        engine.learn();
        engine.sender.alwaysAnswers(HOST, 200);
        engine.roundsUntilDone();
        assertThat(circuit().isHealthy()).isTrue();
    }

    @Test
    void a_probe_whose_event_is_gone_is_given_back_for_the_next() {
        opened();
        var first = engine.accept(connection);
        engine.clock.advance(Duration.ofSeconds(1));
        var second = engine.accept(connection);
        engine.db.run(tx -> tx.update("delete from event where id = ?", first.event().value()));
        engine.sender.alwaysAnswers(HOST, 200);
        engine.clock.advance(COOLDOWN);

        engine.roundsUntilDone();

        assertThat(engine.standing(first)).isEqualTo("4 0 15");
        assertThat(engine.standing(second)).isEqualTo("3 1");
    }

    @Test
    void a_stop_gives_the_probe_back() {
        opened();
        accept(connection, 3);
        engine.clock.advance(COOLDOWN);
        engine.sender.hang(HOST);
        engine.round();
        engine.awaitSent(HOST, 6);
        var probe = circuit();
        assertThat(probe.state()).isEqualTo(State.HALF_OPEN);

        engine.stop(Duration.ofMillis(50));

        assertThat(engine.count("circuit where state = 'open'")).isEqualTo(1);
        assertThat(engine.count("delivery_work where attempts = 0")).isEqualTo(3);
    }

    @Test
    void a_node_that_starts_finds_it_open() {
        opened();
        accept(connection, 3);
        try (var other = Engine.another()) {
            other.learn();
            other.clock.advance(Duration.ofMillis(1)); // so that it gives out other ids
            assertThat(other.circuits.of(destination)).isEqualTo(circuit());
            var delivery = other.accept(connection);
            assertThat(other.standing(delivery)).isEqualTo("waiting 0");
            other.round();
            assertThat(other.sender.parcels()).isEmpty();

            other.clock.advance(COOLDOWN);
            other.roundsUntilDone();
            assertThat(other.circuits.of(destination).isHealthy()).isTrue();
        }
    }

    @Test
    void two_nodes_with_a_lane_each_send_one_probe() {
        var second = engine.given.connection(engine.given.source(), destination);
        opened();
        engine.acceptWaiting(connection);
        engine.acceptWaiting(second);
        try (var other = Engine.another()) {
            other.learn();
            engine.clock.advance(COOLDOWN);
            other.clock.advance(COOLDOWN);
            engine.sender.hang(HOST);
            other.sender.hang(HOST);
            for (int i = 0; i < 5; i++) {
                engine.round();
                other.round();
            }
            Engine.soon().until(() -> sent() + other.sender.parcels().size() >= 6);

            assertThat(sent() + other.sender.parcels().size()).isEqualTo(6);
            assertThat(other.circuits.of(destination)).isEqualTo(circuit());
            engine.sender.letGo(HOST);
            other.sender.letGo(HOST);
        }
    }

    @Test
    void failures_on_two_nodes_add_up() {
        engine.learn();
        try (var other = Engine.another()) {
            other.learn();
            other.clock.advance(Duration.ofMillis(1)); // so that it gives out other ids
            engine.sender.alwaysAnswers(HOST, 500);
            other.sender.alwaysAnswers(HOST, 500);
            accept(connection, 3);
            engine.awaitWritten(3);
            engine.circuits.run();
            other.circuits.run();
            assertThat(other.circuits.of(destination).failures()).isEqualTo(3);

            other.accept(connection);
            other.accept(connection);
            other.awaitWritten(2);
            other.circuits.run();
            engine.circuits.run();

            assertThat(circuit().state()).isEqualTo(State.OPEN);
            assertThat(circuit()).isEqualTo(other.circuits.of(destination));
        }
    }

    @Test
    void a_resend_lane_and_a_live_lane_share_one_probe() {
        opened();
        engine.backlogOf(connection, 3);
        engine.resendsOf(connection, 3);
        engine.clock.advance(COOLDOWN);
        engine.sender.hang(HOST);
        for (int i = 0; i < 5; i++) {
            engine.round();
        }
        engine.awaitSent(HOST, 6);
        engine.round();
        assertThat(sent()).isEqualTo(6);

        engine.sender.alwaysAnswers(HOST, 200);
        engine.sender.letGo(HOST);
        engine.roundsUntilDone();
        assertThat(sent()).isEqualTo(5 + 11);
    }

    @Test
    void a_thousand_lanes_share_one_probe_and_all_wake_when_it_succeeds() {
        var lanes = engine.given.connections(destination, 1_000);
        opened();
        lanes.forEach(lane -> engine.backlogOf(lane, 1));
        engine.node.run();
        engine.clock.advance(COOLDOWN);
        engine.sender.hang(HOST);
        engine.round();
        engine.awaitSent(HOST, 6);
        engine.round();
        assertThat(sent()).isEqualTo(6);
        assertThat(lane("owner is null")).isEqualTo(1_000);

        engine.sender.alwaysAnswers(HOST, 200);
        engine.sender.letGo(HOST);
        Engine.soon()
                .atMost(Duration.ofSeconds(60))
                .until(() -> {
                    engine.node.run();
                    engine.turn();
                    return engine.count("delivery_work where attempts = 0") == 0;
                });
    }

    @Test
    void after_closing_attempts_widen_from_one_to_the_limit() {
        var wide = engine.given.destination("wide.example", 8);
        var lane = engine.given.connection(source, wide);
        engine.learn();
        engine.sender.alwaysAnswers("wide.example", 500);
        accept(lane, 5);
        engine.awaitWritten(5);
        engine.circuits.run();
        engine.backlogOf(lane, 100);
        engine.sender.alwaysAnswers("wide.example", 200);
        engine.clock.advance(COOLDOWN);
        engine.sender.pace("wide.example");

        int done = 5;
        for (int width : new int[] {1, 1, 2, 4, 8, 8}) { // the probe, then one, two, four …
            int expected = width;
            Engine.soon()
                    .until(() -> {
                        engine.round();
                        return engine.sender.atOnce("wide.example") == expected;
                    });
            engine.round();
            assertThat(engine.sender.atOnce("wide.example")).isEqualTo(width);
            engine.sender.permit("wide.example", width);
            done += width;
            int written = done;
            engine.awaitWritten(written);
        }
        engine.sender.permit("wide.example", 1_000);
        engine.clock.advance(Duration.ofSeconds(30));
        engine.roundsUntilDone();
        assertThat(engine.sender.mostAtOnce("wide.example")).isEqualTo(8);
    }
}
