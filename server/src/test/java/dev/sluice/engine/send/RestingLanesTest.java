package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// A lane that was read to its end is not read again until something in it changes.
class RestingLanesTest {

    private static final String HOST = "hanging.example";
    private static final int LANE_COUNT = 200;
    private static final Duration ROUND_INTERVAL = Duration.ofMillis(200);

    private final DispatchHarness harness = DispatchHarness.firstNode();
    private final SourceId source = harness.given.source();
    private final DestinationId destination = harness.given.destination(HOST, 256);
    private final ConnectionId connection = harness.given.connection(source, destination);

    @AfterEach
    void close() {
        harness.close();
    }

    /// Runs a round as the server does, in which nothing but the lanes' own rows wakes them.
    private int statementsOfARound() {
        harness.runNode();
        int before = harness.lanes.statements();
        harness.runLoopsOnce();
        return harness.lanes.statements() - before;
    }

    private int sent() {
        return harness.sender.sentTo(HOST).size();
    }

    /// Leaves the lane leased and read to its end, with one delivery in flight.
    private void resting() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        harness.backlogOf(connection, 1);
        harness.wakeNow(connection, source);
        harness.runLoopsOnce();
        harness.awaitSent(HOST, 1);
        assertThat(statementsOfARound()).as("only a look for lanes").isEqualTo(1);
    }

    private void addWaiting(Instant nextAt) {
        var id = DeliveryId.of(Some.eventId(harness.clock.instant()), 1);
        harness.db.run(tx -> {
            GivenRows.insertEvents(tx, List.of(new GivenRows.EventRow(id.event(), source, 1)));
            GivenRows.insertWork(
                    tx, List.of(GivenRows.WorkRow.waiting(id, source, connection, nextAt)));
        });
    }

    /// An attack that was made: 4 096 lanes with an attempt that hangs cost 4 460 transactions a
    /// second, because each round read all of them.
    @Test
    void lanes_with_a_delivery_in_flight_are_read_a_bounded_number_of_times_a_second() {
        var lanes = harness.given.connections(destination, LANE_COUNT);
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        lanes.forEach(lane -> harness.backlogOf(lane, 1));
        harness.wakeAll();
        harness.runLoopsOnce();
        harness.awaitSent(HOST, LANE_COUNT);

        int rounds = 0;
        int statements = 0;
        for (; rounds < 100; rounds++) {
            harness.clock.advance(ROUND_INTERVAL);
            statements += statementsOfARound();
        }

        assertThat(harness.count("lane where owner is not null")).isEqualTo(LANE_COUNT);
        int looks = rounds + 2; // of these, two for lanes whose lease reply was lost
        int rereads = LANE_COUNT * 20 * 2 / 5; // every 2.5 s at the most, for 20 s
        assertThat(statements).isLessThanOrEqualTo(looks + rereads);
    }

    @Test
    void what_comes_into_a_resting_lane_is_sent_in_the_next_round() {
        resting();

        harness.backlogOf(connection, 1);
        harness.wakeNow(connection, source);
        harness.runLoopsOnce();

        harness.awaitSent(HOST, 2);
    }

    @Test
    void what_is_due_later_is_sent_when_it_is_due_although_its_wake_came_with_an_earlier_one() {
        resting();
        var now = harness.clock.instant();
        addWaiting(now.plusSeconds(1));
        addWaiting(now.plusSeconds(2));
        harness.wakeNow(connection, source);
        harness.runLoopsOnce();

        harness.clock.advance(Duration.ofSeconds(1));
        harness.runLoopsOnce();
        harness.awaitSent(HOST, 2);
        harness.clock.advance(Duration.ofSeconds(1).minusMillis(1));
        assertThat(statementsOfARound()).isEqualTo(1);
        harness.clock.advance(Duration.ofMillis(1));
        harness.runLoopsOnce();
        harness.awaitSent(HOST, 3);
    }

    @Test
    void what_comes_without_a_wake_is_sent_a_few_seconds_later() {
        resting();
        harness.backlogOf(connection, 1);
        harness.runLoopsOnce();

        harness.clock.advance(Duration.ofSeconds(5));
        harness.runLoopsOnce();

        harness.awaitSent(HOST, 2);
    }

    @Test
    void a_clock_that_is_set_back_lets_no_lane_rest_for_longer() {
        harness.clock.advance(Duration.ofHours(1));
        resting();
        harness.clock.advance(Duration.ofHours(-2));
        harness.backlogOf(connection, 1);

        harness.runLoopsOnce();

        harness.awaitSent(HOST, 2);
    }

    @Test
    void what_came_while_it_was_paused_is_sent_when_it_goes_on() {
        resting();
        harness.given.paused(destination, true);
        harness.refreshConfiguration();
        harness.runLoopsOnce();
        harness.backlogOf(connection, 1); // as ingest does: a lane on hold is not woken

        harness.given.paused(destination, false);
        harness.refreshConfiguration();
        harness.runLoopsOnce();

        harness.awaitSent(HOST, 2);
    }

    @Test
    void a_lane_that_is_empty_at_the_end_is_released_with_its_last_result() {
        resting();

        harness.sender.release(HOST);
        harness.awaitWritten(1);
        harness.runLoopsOnce();

        assertThat(harness.count("lane where owner is null and wake_at = 'infinity'")).isEqualTo(1);
        assertThat(sent()).isEqualTo(1);
    }

    @Test
    void what_is_put_back_without_an_attempt_is_read_again() {
        resting();
        harness.backlogOf(connection, 300);
        harness.wakeNow(connection, source);
        for (int i = 0; i < 6; i++) {
            harness.runLoopsOnce();
        }
        harness.awaitSent(HOST, 256);

        harness.dispatcher.dropAll(); // those not in flight
        harness.sender.release(HOST);

        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.runLoopsOnce();
                    return sent() == 301;
                });
    }
}
