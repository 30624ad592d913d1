package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.LaneSweeper;
import dev.sluice.engine.lanes.Lanes;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

/// Lanes of connections on hold cost nothing until the hold is lifted.
class ParkedLanesTest {

    private static final int LANE_COUNT = 1_000;

    private final DispatchHarness harness = DispatchHarness.firstNode();
    private final SourceId source = harness.given.source();

    @AfterEach
    void close() {
        harness.close();
    }

    private int statementsOfARound() throws InterruptedException {
        int before = harness.lanes.statements();
        runBacklog();
        return harness.lanes.statements() - before;
    }

    /// Renews the node's lease first: on a busy machine a test may last longer than it.
    private boolean runBacklog() throws InterruptedException {
        harness.runNode();
        return harness.backlog.run();
    }

    /// Creates one delivery on each of many connections, each with a source of its own.
    private void manyWaitingFor(DestinationId destination) {
        var now = harness.clock.instant();
        var work =
                harness.given.connectedSources(destination, LANE_COUNT).stream()
                        .map(lane ->
                                GivenRows.WorkRow.waiting(
                                        DeliveryId.of(Some.eventId(now), 1),
                                        lane.source(),
                                        lane.connection(),
                                        now))
                        .toList();
        harness.db.run(tx -> GivenRows.insertWork(tx, work));
    }

    private void sweep() {
        new LaneSweeper(
                        harness.db,
                        harness.configuration,
                        new HoldPolicy(harness.circuits),
                        harness.clock,
                        () -> {})
                .run();
    }

    private long leasedLanes() {
        return harness.count("lane where owner is not null");
    }

    @Test
    void a_thousand_held_lanes_are_parked_a_few_a_round_and_cost_nothing_after_that()
            throws InterruptedException {
        var destination = harness.given.destination("held.example", 4);
        var living = harness.given.connection(source, harness.given.destination("b.example", 4));
        manyWaitingFor(destination);
        harness.given.paused(destination, true);
        harness.refreshConfiguration();
        harness.wakeAll();
        harness.backlogOf(living, 1);
        harness.wakeNow(living, source);

        int count = statementsOfARound();
        assertThat(count).as("others do not wait for a thousand lanes").isLessThan(100);
        assertThat(harness.sender.sentTo("b.example")).hasSizeLessThanOrEqualTo(1);
        while (runBacklog()) {
            assertThat(harness.lanes.statements()).isLessThan(2 * LANE_COUNT);
        }
        harness.awaitSent("b.example", 1);
        assertThat(harness.sender.sentTo("held.example")).isEmpty();

        harness.awaitWritten(1);
        runBacklog(); // the lane of the enabled connection is empty
        assertThat(leasedLanes()).isZero();
        sweep();
        assertThat(statementsOfARound()).as("only the lease").isEqualTo(1);
    }

    @Test
    void nothing_is_read_while_there_is_no_memory_for_it() throws InterruptedException {
        var destination = harness.given.destination("full.example", 4);
        var connection = harness.given.connection(source, destination);
        harness.refreshConfiguration();
        assertThat(harness.dispatcher.admission().reserve(destination, 256 << 20)).isTrue();
        harness.backlogOf(connection, 1);
        harness.wakeNow(connection, source);
        runBacklog();

        assertThat(statementsOfARound()).as("only the lease").isEqualTo(1);
        harness.dispatcher.admission().cancel(destination, 256 << 20);
        runBacklog();
        harness.awaitSent("full.example", 1);
    }

    @Test
    void a_node_that_has_not_heard_yet_parks_the_lane_and_wakes_it_when_it_hears() {
        var destination = harness.given.destination("held.example", 4);
        var connection = harness.given.connection(source, destination);
        harness.given.paused(destination, true);
        harness.refreshConfiguration();
        harness.backlogOf(connection, 1);
        try (var late = DispatchHarness.anotherNode()) {
            harness.given.paused(destination, false);
            harness.wakeNow(
                    connection, source); // as the sweep of a node that knows of the change does
            late.backlog.run();
            assertThat(leasedLanes()).isZero();
            assertThat(late.sender.requests()).isEmpty();

            late.refreshConfiguration();
            new LaneSweeper(
                            late.db,
                            late.configuration,
                            new HoldPolicy(late.circuits),
                            late.clock,
                            () -> {})
                    .run();
            late.backlog.run();

            late.awaitSent("held.example", 1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The sweep that follows the change passes over leased lanes.
    @Test
    void a_hold_that_is_lifted_while_its_lane_is_parked_is_not_missed()
            throws InterruptedException {
        var destination = harness.given.destination("held.example", 4);
        var connection = harness.given.connection(source, destination);
        harness.given.paused(destination, true);
        harness.refreshConfiguration();
        harness.backlogOf(connection, 1);
        harness.wakeNow(connection, source);
        harness.lanes.beforeRelease(() -> {
            harness.given.paused(destination, false);
            harness.refreshConfiguration();
            sweep();
            harness.lanes.beforeRelease(() -> {});
        });

        runBacklog();
        assertThat(leasedLanes()).as("parked").isZero();
        runBacklog();

        harness.awaitSent("held.example", 1);
    }

    @Test
    void a_wake_that_comes_while_a_lane_is_leased_is_not_lost() {
        var connection =
                harness.given.connection(source, harness.given.destination("a.example", 4));
        harness.refreshConfiguration();
        harness.backlogOf(connection, 1);
        harness.wakeNow(connection, source);
        var lanes = Lanes.of(harness.db);
        var now = harness.clock.instant();
        var lane = new Lane(connection, Trigger.INGEST, source);
        assertThat(lanes.lease(harness.node.epoch(), now, List.of(lane))).containsExactly(lane);
        harness.wakeNow(connection, source);

        lanes.release(lane, harness.node.epoch(), Optional.empty());

        assertThat(leasedLanes()).isZero();
        assertThat(lanes.lease(harness.node.epoch(), now, List.of(lane))).containsExactly(lane);
        lanes.release(lane, harness.node.epoch(), Optional.empty());
        assertThat(lanes.lease(harness.node.epoch(), now, List.of(lane))).as("asleep").isEmpty();
    }
}
