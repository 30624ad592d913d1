package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.relay.send.Parcel;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Optional;

class DispatchTest {

    private static final String HOST = "a.example";

    private final Engine engine = Engine.alone();
    private final SourceId source = engine.given.source();
    private final DestinationId destination = engine.given.destination(HOST, 4);
    private final ConnectionId connection = engine.given.connection(source, destination);

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void a_fresh_delivery_is_sent_at_once_and_written_down() {
        engine.learn();
        var delivery = engine.accept(connection);
        engine.awaitWritten(1);

        assertThat(engine.standing(delivery)).isEqualTo("3 1");
        assertThat(engine.sender.sentTo(HOST)).containsExactly(delivery);
        assertThat(engine.count("lane")).isZero();
    }

    @Test
    void a_failed_attempt_is_made_again_when_it_is_due_and_not_before() {
        engine.learn();
        engine.sender.willAnswer(HOST, 503, 500);
        var delivery = engine.accept(connection);
        engine.awaitWritten(1);
        assertThat(engine.standing(delivery)).isEqualTo("waiting 1");

        engine.clock.advance(Duration.ofMillis(29_999));
        engine.round();
        assertThat(engine.sender.parcels()).as("30 s have not passed").hasSize(1);

        engine.clock.advance(Duration.ofMillis(1));
        engine.round();
        engine.awaitWritten(2);
        assertThat(engine.standing(delivery)).isEqualTo("waiting 2");

        engine.clock.advance(Duration.ofMinutes(2));
        engine.round();
        engine.awaitWritten(3);
        assertThat(engine.standing(delivery)).isEqualTo("3 3");
        assertThat(engine.sender.parcels()).extracting(Parcel::attempt).containsExactly(1, 2, 3);
        assertThat(engine.count("attempt")).isEqualTo(2);
    }

    @Test
    void after_the_last_interval_it_is_exhausted() {
        engine.learn();
        engine.sender.alwaysAnswers(HOST, 500);
        var delivery = engine.accept(connection);
        for (int attempt = 1; attempt <= 3; attempt++) {
            engine.awaitWritten(attempt);
            engine.clock.advance(Duration.ofMinutes(2));
            engine.round();
        }

        assertThat(engine.standing(delivery)).isEqualTo("5 3 9");
        assertThat(engine.sender.parcels()).hasSize(3);
    }

    @Test
    void a_refusal_is_final() {
        engine.learn();
        engine.sender.willAnswer(HOST, 410);
        var delivery = engine.accept(connection);
        engine.awaitWritten(1);

        assertThat(engine.standing(delivery)).isEqualTo("4 1 9");
    }

    /// What can hold a connection, and how it is lifted.
    enum Held {
        SOURCE_PAUSED {
            @Override
            void hold(DispatchTest test, boolean isHeld) {
                test.engine.given.paused(test.source, isHeld);
            }
        },
        SOURCE_IN_TRASH {
            @Override
            void hold(DispatchTest test, boolean isHeld) {
                if (isHeld) {
                    test.engine.given.trashed(test.source);
                } else {
                    test.engine.given.restored(test.source);
                }
            }
        },
        DESTINATION_PAUSED {
            @Override
            void hold(DispatchTest test, boolean isHeld) {
                test.engine.given.paused(test.destination, isHeld);
            }
        },
        CONNECTION_DISABLED {
            @Override
            void hold(DispatchTest test, boolean isHeld) {
                test.engine.given.enabled(test.connection, !isHeld);
            }
        };

        abstract void hold(DispatchTest test, boolean isHeld);
    }

    @ParameterizedTest
    @EnumSource(Held.class)
    void what_is_held_waits_and_goes_when_the_hold_is_lifted(Held held) {
        held.hold(this, true);
        engine.learn();
        var delivery = engine.accept(connection);
        engine.round();
        engine.round();
        assertThat(engine.sender.parcels()).isEmpty();
        assertThat(engine.standing(delivery)).isEqualTo("waiting 0");
        assertThat(leasedLanes()).as("parked").isZero();

        held.hold(this, false);
        engine.learn();
        engine.round();
        engine.awaitWritten(1);
        assertThat(engine.standing(delivery)).isEqualTo("3 1");
    }

    private long leasedLanes() {
        return engine.count("lane where owner is not null");
    }

    @Test
    void what_is_held_while_it_waits_for_a_sender_goes_back_without_an_attempt() {
        engine.learn();
        engine.sender.hang(HOST);
        var deliveries = new ArrayList<DeliveryId>();
        for (int i = 0; i < 6; i++) {
            deliveries.add(engine.accept(connection));
        }
        engine.awaitSent(HOST, 4);
        engine.given.paused(destination, true);
        engine.learn();

        engine.sender.letGo(HOST);
        engine.awaitWritten(6);

        assertThat(engine.sender.parcels()).hasSize(4);
        assertThat(deliveries).extracting(engine::standing).filteredOn("3 1"::equals).hasSize(4);
        assertThat(deliveries)
                .extracting(engine::standing)
                .filteredOn("waiting 0"::equals)
                .hasSize(2);

        engine.given.paused(destination, false);
        engine.learn();
        engine.roundsUntilDone();
        assertThat(deliveries).extracting(engine::standing).containsOnly("3 1");
    }

    @Test
    void a_dead_destination_with_many_rows_keeps_nobody_waiting() {
        var living = engine.given.destination("b.example", 4);
        var lively = engine.given.connection(source, living);
        engine.learn();
        engine.backlogOf(connection, 2_000);
        engine.sender.hang(HOST);
        engine.round();
        engine.awaitSent(HOST, 4);

        engine.backlogOf(lively, 1);
        var fresh = engine.accept(lively);
        engine.round();
        engine.awaitSent("b.example", 2);
        engine.awaitWritten(2);

        assertThat(engine.standing(fresh)).isEqualTo("3 1");
        assertThat(engine.sender.sentTo(HOST)).as("of the dead one").hasSize(4);
        engine.round();
        engine.round();
        assertThat(engine.sender.sentTo(HOST)).hasSize(4);
    }

    @Test
    void a_backlog_is_sent_whole_and_each_delivery_once() {
        engine.learn();
        engine.backlogOf(connection, 300);

        engine.roundsUntilDone();

        assertThat(engine.sender.sentTo(HOST)).hasSize(300);
        assertThat(new HashSet<>(engine.sender.sentTo(HOST))).hasSize(300);
        assertThat(engine.count("delivery where status = 3")).isEqualTo(300);
        assertThat(engine.sender.mostAtOnce(HOST)).isLessThanOrEqualTo(4);
    }

    @Test
    void no_more_than_max_in_flight_are_under_way() {
        engine.learn();
        engine.sender.hang(HOST);
        engine.backlogOf(connection, 50);
        for (int i = 0; i < 50; i++) {
            engine.accept(connection);
        }
        engine.round();
        engine.awaitSent(HOST, 4);
        assertThat(engine.sender.atOnce(HOST)).isEqualTo(4);

        engine.sender.letGo(HOST);
        engine.roundsUntilDone();
        assertThat(engine.sender.parcels()).hasSize(100);
        assertThat(engine.sender.mostAtOnce(HOST)).isEqualTo(4);
    }

    @Test
    void fresh_and_waiting_deliveries_take_turns() {
        var narrow = engine.given.destination("narrow.example", 1);
        var lane = engine.given.connection(source, narrow);
        engine.learn();
        engine.sender.hang("narrow.example");
        var fresh = new ArrayList<DeliveryId>();
        for (int i = 0; i < 5; i++) {
            fresh.add(engine.accept(lane));
        }
        engine.awaitSent("narrow.example", 1);
        engine.backlogOf(lane, 2);
        engine.round();

        engine.sender.letGo("narrow.example");
        engine.awaitWritten(7);

        var kinds =
                engine.sender.sentTo("narrow.example").stream()
                        .map(delivery -> fresh.contains(delivery) ? "fresh" : "waiting")
                        .toList();
        assertThat(kinds)
                .containsExactly("fresh", "waiting", "fresh", "waiting", "fresh", "fresh", "fresh");
    }

    @Test
    void what_waits_for_a_deleted_connection_ends() {
        engine.given.paused(destination, true);
        engine.learn();
        var due = engine.accept(connection);
        engine.given.deleted(connection);
        engine.learn();

        engine.roundsUntilDone();

        assertThat(engine.standing(due)).isEqualTo("4 0 14");
        assertThat(engine.sender.parcels()).isEmpty();
    }

    @Test
    void what_waits_for_a_deleted_destination_ends_due_or_not() {
        engine.learn();
        engine.sender.willAnswer(HOST, 500);
        var retry = engine.accept(connection);
        engine.awaitWritten(1);
        engine.given.deleted(destination);
        engine.learn();
        engine.wakeNow(connection, source);

        engine.roundsUntilDone();

        assertThat(engine.standing(retry)).isEqualTo("4 1 13");
        assertThat(engine.sender.parcels()).hasSize(1);
    }

    @Test
    void a_delivery_in_memory_whose_connection_is_deleted_ends_without_an_attempt() {
        engine.learn();
        engine.sender.hang(HOST);
        var deliveries = new ArrayList<DeliveryId>();
        for (int i = 0; i < 5; i++) {
            deliveries.add(engine.accept(connection));
        }
        engine.awaitSent(HOST, 4);
        engine.given.deleted(connection);
        engine.learn();

        engine.sender.letGo(HOST);
        engine.awaitWritten(5);

        assertThat(deliveries).extracting(engine::standing).contains("4 0 14");
        assertThat(engine.sender.parcels()).hasSize(4);
    }

    @Test
    void a_delivery_whose_event_is_gone_ends_as_expired() {
        engine.learn();
        var delivery = engine.acceptWaiting(connection);
        engine.db.run(tx -> tx.update("delete from event"));

        engine.roundsUntilDone();

        assertThat(engine.standing(delivery)).isEqualTo("4 0 15");
    }

    @Test
    void memory_is_bounded_and_what_does_not_fit_waits() {
        engine.learn();
        var delivery = engine.acceptWaiting(connection);
        assertThat(engine.dispatcher.intake().reserve(destination, 256 << 20)).isTrue();
        assertThat(engine.dispatcher.intake().reserve(destination, 1)).isFalse();

        engine.round();
        assertThat(engine.standing(delivery)).isEqualTo("waiting 0");
        assertThat(engine.sender.parcels()).isEmpty();

        engine.dispatcher.intake().cancel(destination, 256 << 20);
        engine.round();
        engine.awaitWritten(1);
        assertThat(engine.standing(delivery)).isEqualTo("3 1");
        assertThat(engine.dispatcher.intake().reserve(destination, 256 << 20))
                .as("all is free")
                .isTrue();
    }

    @Test
    void there_is_room_for_so_many_fresh_ones_of_a_destination_and_no_more() {
        engine.learn();
        int room = 0;
        while (engine.dispatcher.intake().reserve(destination, 1)) {
            room++;
        }
        assertThat(room).isEqualTo(2_048);

        engine.dispatcher.intake().cancel(destination, 1);
        assertThat(engine.dispatcher.intake().reserve(destination, 1)).isTrue();
    }

    @Test
    void a_deleted_destination_is_forgotten_once_nothing_of_it_is_in_memory() {
        engine.learn();
        engine.sender.hang(HOST);
        engine.accept(connection);
        engine.awaitSent(HOST, 1);
        engine.given.deleted(destination);
        engine.learn();
        engine.round();
        assertThat(engine.dispatcher.destinations()).as("one is on the wire").isEqualTo(1);

        engine.sender.letGo(HOST);
        engine.awaitWritten(1);
        Engine.soon()
                .until(() -> {
                    engine.clock.advance(Duration.ofSeconds(11));
                    engine.round();
                    return engine.dispatcher.destinations() == 0;
                });
    }

    @Test
    void more_destinations_than_permits_all_have_their_turn() {
        var hosts = new ArrayList<String>();
        var connections = new ArrayList<ConnectionId>();
        for (int i = 0; i < 6; i++) {
            hosts.add("h" + i + ".example");
            connections.add(
                    engine.given.connection(
                            source, engine.given.destination(hosts.getLast(), 256)));
        }
        engine.learn();
        hosts.forEach(engine.sender::hang);
        for (var each : connections) {
            for (int i = 0; i < 220; i++) {
                engine.dispatcher
                        .intake()
                        .addWaiting(
                                engine.routing.route(each).orElseThrow().destination().id(),
                                ready(each));
            }
        }
        hosts.forEach(engine.sender::letGo);
        engine.awaitWritten(6 * 220);

        for (String host : hosts) {
            assertThat(engine.sender.sentTo(host)).hasSize(220);
        }
    }

    private Ready ready(ConnectionId to) {
        var id = DeliveryId.of(Some.eventId(), 1);
        return new Ready(
                new Work(id, source, to, Trigger.INGEST, 0, Optional.empty()),
                Some.payload("{}"),
                false,
                engine.node.epoch());
    }

    @Test
    void a_commit_that_comes_late_stands_behind_the_reader_and_is_found() {
        engine.learn();
        engine.sender.hang(HOST);
        engine.backlogOf(connection, 4);
        engine.clock.advance(Duration.ofSeconds(1));
        engine.round();
        engine.awaitSent(HOST, 4);

        engine.clock.advance(Duration.ofSeconds(-1));
        var late = engine.acceptWaiting(connection);
        engine.clock.advance(Duration.ofSeconds(1));
        engine.sender.letGo(HOST);
        engine.roundsUntilDone();

        assertThat(engine.standing(late)).isEqualTo("3 1");
    }

    @Test
    void a_stop_puts_back_what_is_in_memory_and_frees_the_lanes() {
        engine.learn();
        engine.sender.hang(HOST);
        engine.backlogOf(connection, 20);
        engine.round();
        engine.awaitSent(HOST, 4);
        var fresh = engine.accept(connection);

        engine.stop(Duration.ofMillis(50));

        assertThat(engine.standing(fresh)).isEqualTo("waiting 0");
        assertThat(engine.count("delivery_work where owner is not null")).isZero();
        assertThat(leasedLanes()).isZero();
        assertThat(engine.count("delivery_work")).isEqualTo(21);
    }

    @Test
    void an_attempt_that_ends_within_the_stops_budget_is_written_down() {
        engine.learn();
        engine.sender.hang(HOST);
        var delivery = engine.accept(connection);
        engine.awaitSent(HOST, 1);
        Thread.ofVirtual().start(() -> engine.sender.letGo(HOST));

        engine.stop(Duration.ofSeconds(5));

        assertThat(engine.standing(delivery)).isEqualTo("3 1");
    }

    @Test
    void a_fenced_node_forgets_what_was_not_under_way_and_others_send_it() {
        engine.learn();
        engine.sender.hang(HOST);
        for (int i = 0; i < 6; i++) {
            engine.accept(connection);
        }
        engine.awaitSent(HOST, 4);
        engine.db.run(tx -> tx.update("update node set state = 'dead'"));

        engine.node.run();
        assertThat(engine.count("delivery_work where owner is null")).isEqualTo(6);
        engine.sender.letGo(HOST);
        engine.awaitWritten(4);
        engine.roundsUntilDone();

        assertThat(engine.count("delivery where status = 3")).isEqualTo(6);
        assertThat(engine.sender.parcels()).hasSize(6);
    }

    @Test
    void two_nodes_share_the_lanes_and_send_each_delivery_once() {
        engine.learn();
        engine.backlogOf(connection, 30);
        try (var other = Engine.another()) {
            var second = engine.given.connection(source, engine.given.destination("b.example", 4));
            engine.learn();
            other.learn();
            engine.backlogOf(second, 30);
            Engine.soon()
                    .until(() -> {
                        engine.round();
                        other.round();
                        return engine.count("delivery_work") == 0;
                    });

            var sent = new ArrayList<DeliveryId>();
            engine.sender.parcels().forEach(parcel -> sent.add(parcel.delivery()));
            other.sender.parcels().forEach(parcel -> sent.add(parcel.delivery()));
            assertThat(sent).hasSize(60).doesNotHaveDuplicates();
        }
    }

    @Test
    void a_node_that_has_not_heard_of_a_connection_yet_leaves_its_deliveries_to_wait() {
        engine.learn();
        try (var other = Engine.another()) {
            var second = engine.given.connection(source, engine.given.destination("b.example", 4));
            engine.learn();
            var delivery = engine.acceptWaiting(second);
            engine.wakeNow(second, source);

            other.round();
            other.round();

            assertThat(engine.standing(delivery)).doesNotStartWith("4");
            other.learn();
            other.clock.advance(Duration.ofSeconds(2));
            engine.clock.advance(Duration.ofSeconds(2));
            engine.roundsUntilDone();
            assertThat(engine.standing(delivery)).isEqualTo("3 1");
        }
    }
}
