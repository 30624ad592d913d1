package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.testkit.DeliveryState;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;

class DispatchTest {

    private static final String HOST = "a.example";

    private final DispatchHarness harness = DispatchHarness.firstNode();
    private final SourceId source = harness.given.source();
    private final DestinationId destination = harness.given.destination(HOST, 4);
    private final ConnectionId connection = harness.given.connection(source, destination);

    @AfterEach
    void close() {
        harness.close();
    }

    @Test
    void a_fresh_delivery_is_sent_at_once_and_written_down() {
        harness.refreshConfiguration();
        var delivery = harness.accept(connection);
        harness.awaitWritten(1);

        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.succeeded(1));
        assertThat(harness.sender.sentTo(HOST)).containsExactly(delivery);
        assertThat(harness.count("lane")).isZero();
    }

    @Test
    void a_failed_attempt_is_made_again_when_it_is_due_and_not_before() {
        harness.refreshConfiguration();
        harness.sender.willAnswer(HOST, 503, 500);
        var delivery = harness.accept(connection);
        harness.awaitWritten(1);
        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.waiting(1));

        harness.clock.advance(Duration.ofMillis(29_999));
        harness.round();
        assertThat(harness.sender.requests()).as("30 s have not passed").hasSize(1);

        harness.clock.advance(Duration.ofMillis(1));
        harness.round();
        harness.awaitWritten(2);
        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.waiting(2));

        harness.clock.advance(Duration.ofMinutes(2));
        harness.round();
        harness.awaitWritten(3);
        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.succeeded(3));
        assertThat(harness.sender.requests())
                .extracting(OutboundRequest::attempt)
                .containsExactly(1, 2, 3);
        assertThat(harness.count("attempt")).isEqualTo(2);
    }

    @Test
    void after_the_last_interval_it_is_exhausted() {
        harness.refreshConfiguration();
        harness.sender.alwaysAnswer(HOST, 500);
        var delivery = harness.accept(connection);
        for (int attempt = 1; attempt <= 3; attempt++) {
            harness.awaitWritten(attempt);
            harness.clock.advance(Duration.ofMinutes(2));
            harness.round();
        }

        assertThat(harness.stateOf(delivery))
                .isEqualTo(DeliveryState.exhausted(3, ErrorCode.HTTP_STATUS));
        assertThat(harness.sender.requests()).hasSize(3);
    }

    @Test
    void a_refusal_is_final() {
        harness.refreshConfiguration();
        harness.sender.willAnswer(HOST, 410);
        var delivery = harness.accept(connection);
        harness.awaitWritten(1);

        assertThat(harness.stateOf(delivery))
                .isEqualTo(DeliveryState.failed(1, ErrorCode.HTTP_STATUS));
    }

    /// A kind of hold on a connection, and how to set and lift it.
    enum HoldScenario {
        SOURCE_PAUSED {
            @Override
            void hold(DispatchTest test, boolean isHeld) {
                test.harness.given.paused(test.source, isHeld);
            }
        },
        SOURCE_IN_TRASH {
            @Override
            void hold(DispatchTest test, boolean isHeld) {
                if (isHeld) {
                    test.harness.given.trashed(test.source);
                } else {
                    test.harness.given.restored(test.source);
                }
            }
        },
        DESTINATION_PAUSED {
            @Override
            void hold(DispatchTest test, boolean isHeld) {
                test.harness.given.paused(test.destination, isHeld);
            }
        },
        CONNECTION_DISABLED {
            @Override
            void hold(DispatchTest test, boolean isHeld) {
                test.harness.given.enabled(test.connection, !isHeld);
            }
        };

        abstract void hold(DispatchTest test, boolean isHeld);
    }

    @ParameterizedTest
    @EnumSource(HoldScenario.class)
    void what_is_held_waits_and_goes_when_the_hold_is_lifted(HoldScenario scenario) {
        scenario.hold(this, true);
        harness.refreshConfiguration();
        var delivery = harness.accept(connection);
        harness.round();
        harness.round();
        assertThat(harness.sender.requests()).isEmpty();
        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.waiting(0));
        assertThat(leasedLanes()).as("parked").isZero();

        scenario.hold(this, false);
        harness.refreshConfiguration();
        harness.round();
        harness.awaitWritten(1);
        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.succeeded(1));
    }

    private long leasedLanes() {
        return harness.count("lane where owner is not null");
    }

    @Test
    void what_is_held_while_it_waits_for_a_sender_goes_back_without_an_attempt() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        var deliveries = new ArrayList<DeliveryId>();
        for (int i = 0; i < 6; i++) {
            deliveries.add(harness.accept(connection));
        }
        harness.awaitSent(HOST, 4);
        harness.given.paused(destination, true);
        harness.refreshConfiguration();

        harness.sender.release(HOST);
        harness.awaitWritten(6);

        assertThat(harness.sender.requests()).hasSize(4);
        assertThat(deliveries)
                .extracting(harness::stateOf)
                .filteredOn(DeliveryState.succeeded(1)::equals)
                .hasSize(4);
        assertThat(deliveries)
                .extracting(harness::stateOf)
                .filteredOn(DeliveryState.waiting(0)::equals)
                .hasSize(2);

        harness.given.paused(destination, false);
        harness.refreshConfiguration();
        harness.roundsUntilDone();
        assertThat(deliveries)
                .extracting(harness::stateOf)
                .containsOnly(DeliveryState.succeeded(1));
    }

    @Test
    void a_dead_destination_with_many_rows_keeps_nobody_waiting() {
        var living = harness.given.destination("b.example", 4);
        var lively = harness.given.connection(source, living);
        harness.refreshConfiguration();
        harness.backlogOf(connection, 2_000);
        harness.sender.hang(HOST);
        harness.round();
        harness.awaitSent(HOST, 4);

        harness.backlogOf(lively, 1);
        var fresh = harness.accept(lively);
        harness.round();
        harness.awaitSent("b.example", 2);
        harness.awaitWritten(2);

        assertThat(harness.stateOf(fresh)).isEqualTo(DeliveryState.succeeded(1));
        assertThat(harness.sender.sentTo(HOST)).as("to the unreachable one").hasSize(4);
        harness.round();
        harness.round();
        assertThat(harness.sender.sentTo(HOST)).hasSize(4);
    }

    @Test
    void a_backlog_is_sent_whole_and_each_delivery_once() {
        harness.refreshConfiguration();
        harness.backlogOf(connection, 300);

        harness.roundsUntilDone();

        assertThat(harness.sender.sentTo(HOST)).hasSize(300);
        assertThat(new HashSet<>(harness.sender.sentTo(HOST))).hasSize(300);
        assertThat(harness.count("delivery where status = 3")).isEqualTo(300);
        assertThat(harness.sender.maxInFlight(HOST)).isLessThanOrEqualTo(4);
    }

    @Test
    void no_more_than_max_in_flight_are_under_way() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        harness.backlogOf(connection, 50);
        for (int i = 0; i < 50; i++) {
            harness.accept(connection);
        }
        harness.round();
        harness.awaitSent(HOST, 4);
        assertThat(harness.sender.inFlight(HOST)).isEqualTo(4);

        harness.sender.release(HOST);
        harness.roundsUntilDone();
        assertThat(harness.sender.requests()).hasSize(100);
        assertThat(harness.sender.maxInFlight(HOST)).isEqualTo(4);
    }

    @Test
    void fresh_and_waiting_deliveries_take_turns() {
        var narrow = harness.given.destination("narrow.example", 1);
        var lane = harness.given.connection(source, narrow);
        harness.refreshConfiguration();
        harness.sender.hang("narrow.example");
        var fresh = new ArrayList<DeliveryId>();
        for (int i = 0; i < 5; i++) {
            fresh.add(harness.accept(lane));
        }
        harness.awaitSent("narrow.example", 1);
        harness.backlogOf(lane, 2);
        harness.round();

        harness.sender.release("narrow.example");
        harness.awaitWritten(7);

        var kinds =
                harness.sender.sentTo("narrow.example").stream()
                        .map(delivery -> fresh.contains(delivery) ? "fresh" : "waiting")
                        .toList();
        assertThat(kinds)
                .containsExactly("fresh", "waiting", "fresh", "waiting", "fresh", "fresh", "fresh");
    }

    @Test
    void what_waits_for_a_deleted_connection_ends() {
        harness.given.paused(destination, true);
        harness.refreshConfiguration();
        var due = harness.accept(connection);
        harness.given.deleted(connection);
        harness.refreshConfiguration();

        harness.roundsUntilDone();

        assertThat(harness.stateOf(due))
                .isEqualTo(DeliveryState.failed(0, ErrorCode.CONNECTION_DELETED));
        assertThat(harness.sender.requests()).isEmpty();
    }

    @Test
    void what_waits_for_a_deleted_destination_ends_due_or_not() {
        harness.refreshConfiguration();
        harness.sender.willAnswer(HOST, 500);
        var retry = harness.accept(connection);
        harness.awaitWritten(1);
        harness.given.deleted(destination);
        harness.refreshConfiguration();
        harness.wakeNow(connection, source);

        harness.roundsUntilDone();

        assertThat(harness.stateOf(retry))
                .isEqualTo(DeliveryState.failed(1, ErrorCode.DESTINATION_DELETED));
        assertThat(harness.sender.requests()).hasSize(1);
    }

    @Test
    void a_delivery_in_memory_whose_connection_is_deleted_ends_without_an_attempt() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        var deliveries = new ArrayList<DeliveryId>();
        for (int i = 0; i < 5; i++) {
            deliveries.add(harness.accept(connection));
        }
        harness.awaitSent(HOST, 4);
        harness.given.deleted(connection);
        harness.refreshConfiguration();

        harness.sender.release(HOST);
        harness.awaitWritten(5);

        assertThat(deliveries)
                .extracting(harness::stateOf)
                .contains(DeliveryState.failed(0, ErrorCode.CONNECTION_DELETED));
        assertThat(harness.sender.requests()).hasSize(4);
    }

    @Test
    void a_delivery_whose_event_is_gone_ends_as_expired() {
        harness.refreshConfiguration();
        var delivery = harness.acceptWaiting(connection);
        harness.db.run(tx -> tx.update("delete from event"));

        harness.roundsUntilDone();

        assertThat(harness.stateOf(delivery))
                .isEqualTo(DeliveryState.failed(0, ErrorCode.EVENT_EXPIRED));
    }

    @Test
    void memory_is_bounded_and_what_does_not_fit_waits() {
        harness.refreshConfiguration();
        var delivery = harness.acceptWaiting(connection);
        assertThat(harness.dispatcher.admission().reserve(destination, 256 << 20)).isTrue();
        assertThat(harness.dispatcher.admission().reserve(destination, 1)).isFalse();

        harness.round();
        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.waiting(0));
        assertThat(harness.sender.requests()).isEmpty();

        harness.dispatcher.admission().cancel(destination, 256 << 20);
        harness.round();
        harness.awaitIdle();
        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.succeeded(1));
        assertThat(harness.dispatcher.admission().reserve(destination, 256 << 20))
                .as("all permits are free")
                .isTrue();
    }

    @Test
    void there_is_room_for_so_many_fresh_ones_of_a_destination_and_no_more() {
        harness.refreshConfiguration();
        int room = 0;
        while (harness.dispatcher.admission().reserve(destination, 1)) {
            room++;
        }
        assertThat(room).isEqualTo(2_048);

        harness.dispatcher.admission().cancel(destination, 1);
        assertThat(harness.dispatcher.admission().reserve(destination, 1)).isTrue();
    }

    @Test
    void a_deleted_destination_is_forgotten_once_nothing_of_it_is_in_memory() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        harness.accept(connection);
        harness.awaitSent(HOST, 1);
        harness.given.deleted(destination);
        harness.refreshConfiguration();
        harness.round();
        assertThat(harness.dispatcher.destinationCount()).as("one is on the wire").isEqualTo(1);

        harness.sender.release(HOST);
        harness.awaitWritten(1);
        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.clock.advance(Duration.ofSeconds(11));
                    harness.round();
                    return harness.dispatcher.destinationCount() == 0;
                });
    }

    @Test
    void a_commit_that_comes_late_stands_behind_the_reader_and_is_found() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        harness.backlogOf(connection, 4);
        harness.clock.advance(Duration.ofSeconds(1));
        harness.round();
        harness.awaitSent(HOST, 4);

        harness.clock.advance(Duration.ofSeconds(-1));
        var late = harness.acceptWaiting(connection);
        harness.clock.advance(Duration.ofSeconds(1));
        harness.sender.release(HOST);
        harness.roundsUntilDone();

        assertThat(harness.stateOf(late)).isEqualTo(DeliveryState.succeeded(1));
    }

    @Test
    void a_stop_puts_back_what_is_in_memory_and_frees_the_lanes() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        harness.backlogOf(connection, 20);
        harness.round();
        harness.awaitSent(HOST, 4);
        var fresh = harness.accept(connection);

        harness.stop(Duration.ofMillis(50));

        assertThat(harness.stateOf(fresh)).isEqualTo(DeliveryState.waiting(0));
        assertThat(harness.count("delivery_work where owner is not null")).isZero();
        assertThat(leasedLanes()).isZero();
        assertThat(harness.count("delivery_work")).isEqualTo(21);
    }

    @Test
    void an_attempt_that_ends_within_the_stops_budget_is_written_down() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        var delivery = harness.accept(connection);
        harness.awaitSent(HOST, 1);
        Thread.ofVirtual().start(() -> harness.sender.release(HOST));

        harness.stop(Duration.ofSeconds(5));

        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.succeeded(1));
    }

    @Test
    void a_fenced_node_forgets_what_was_not_under_way_and_others_send_it() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        for (int i = 0; i < 6; i++) {
            harness.accept(connection);
        }
        harness.awaitSent(HOST, 4);
        harness.db.run(tx -> tx.update("update node set state = 'dead'"));

        harness.runNode();
        assertThat(harness.count("delivery_work where owner is null")).isEqualTo(6);
        harness.sender.release(HOST);
        harness.awaitWritten(4);
        harness.roundsUntilDone();

        assertThat(harness.count("delivery where status = 3")).isEqualTo(6);
        assertThat(harness.sender.requests()).hasSize(6);
    }

    @Test
    void two_nodes_share_the_lanes_and_send_each_delivery_once() {
        harness.refreshConfiguration();
        harness.backlogOf(connection, 30);
        try (var other = DispatchHarness.anotherNode()) {
            var second =
                    harness.given.connection(source, harness.given.destination("b.example", 4));
            harness.refreshConfiguration();
            other.refreshConfiguration();
            harness.backlogOf(second, 30);
            DispatchHarness.awaitSoon()
                    .until(() -> {
                        harness.round();
                        other.round();
                        return harness.count("delivery_work") == 0;
                    });

            var sent = new ArrayList<DeliveryId>();
            harness.sender.requests().forEach(request -> sent.add(request.delivery()));
            other.sender.requests().forEach(request -> sent.add(request.delivery()));
            assertThat(sent).hasSize(60).doesNotHaveDuplicates();
        }
    }

    @Test
    void a_node_that_has_not_heard_of_a_connection_yet_leaves_its_deliveries_to_wait() {
        harness.refreshConfiguration();
        try (var other = DispatchHarness.anotherNode()) {
            var second =
                    harness.given.connection(source, harness.given.destination("b.example", 4));
            harness.refreshConfiguration();
            var delivery = harness.acceptWaiting(second);
            harness.wakeNow(second, source);

            other.round();
            other.round();

            assertThat(harness.stateOf(delivery).status()).isNotEqualTo(DeliveryStatus.FAILED);
            other.refreshConfiguration();
            other.clock.advance(Duration.ofSeconds(2));
            harness.clock.advance(Duration.ofSeconds(2));
            harness.roundsUntilDone();
            assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.succeeded(1));
        }
    }
}
