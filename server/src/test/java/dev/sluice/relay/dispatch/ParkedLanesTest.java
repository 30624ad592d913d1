package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.InFlightRecorder;
import dev.sluice.relay.Payload;
import dev.sluice.relay.settle.Settlement;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.Lanes;
import dev.sluice.relay.upkeep.LaneSweeper;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/// Lanes of connections on hold cost nothing until the hold is lifted.
class ParkedLanesTest {

    private static final int LANE_COUNT = 1_000;

    private final DispatchHarness harness = DispatchHarness.firstNode();
    private final SourceId source = harness.given.source();
    private final AtomicInteger statements = new AtomicInteger();
    private final Backlog backlog =
            new Backlog(
                    new DispatchEnvironment(
                            harness.configuration,
                            harness.node,
                            result -> {
                                throw new AssertionError("no result is expected: " + result);
                            },
                            harness.circuits,
                            harness.clock),
                    new CountingLanes(Lanes.of(harness.db), statements),
                    harness.dispatcher,
                    new AttemptRunner(
                            harness.configuration,
                            (_, _) -> false,
                            harness.sender,
                            new Settlement(harness.clock, new Random(3), 0),
                            harness.circuits,
                            InFlightRecorder.NO_OP,
                            harness.clock),
                    () -> 0);

    @AfterEach
    void close() {
        harness.close();
    }

    /// Lanes that count the statements sent to them.
    private record CountingLanes(Lanes lanes, AtomicInteger statements) implements Lanes {

        private Lanes counted() {
            statements.incrementAndGet();
            return lanes;
        }

        @Override
        public List<Lane> lease(long epoch, Instant now, int limit) {
            return counted().lease(epoch, now, limit);
        }

        @Override
        public List<Lane> leased(long epoch) {
            return counted().leased(epoch);
        }

        @Override
        public void release(Lane lane, long epoch, Optional<Instant> wakeAt) {
            counted().release(lane, epoch, wakeAt);
        }

        @Override
        public List<LaneStore.WaitingDelivery> due(
                Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit) {
            return counted().due(lane, until, afterNextAt, afterId, limit);
        }

        @Override
        public Optional<Instant> firstDue(Lane lane) {
            return counted().firstDue(lane);
        }

        @Override
        public Map<EventId, Payload> payloads(SourceId source, Collection<EventId> events) {
            return counted().payloads(source, events);
        }
    }

    private int statementsOfARound() throws InterruptedException {
        int before = statements.get();
        backlog.run();
        return statements.get() - before;
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
        while (backlog.run()) {
            assertThat(statements.get()).isLessThan(2 * LANE_COUNT);
        }
        harness.awaitSent("b.example", 1);
        assertThat(harness.sender.sentTo("held.example")).isEmpty();

        harness.awaitWritten(1);
        backlog.run(); // the lane of the enabled connection is empty
        assertThat(leasedLanes()).isZero();
        new LaneSweeper(
                        harness.db,
                        harness.configuration,
                        new HoldPolicy(harness.circuits),
                        harness.clock)
                .run();
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
        backlog.run();

        assertThat(statementsOfARound()).as("only the lease").isEqualTo(1);
        harness.dispatcher.admission().cancel(destination, 256 << 20);
        backlog.run();
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
            new LaneSweeper(late.db, late.configuration, new HoldPolicy(late.circuits), late.clock)
                    .run();
            late.backlog.run();

            late.awaitSent("held.example", 1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
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
        var lane = lanes.lease(harness.node.epoch(), now, 5).getFirst();
        harness.wakeNow(connection, source);

        lanes.release(lane, harness.node.epoch(), Optional.empty());

        assertThat(leasedLanes()).isZero();
        assertThat(lanes.lease(harness.node.epoch(), now, 5)).containsExactly(lane);
        lanes.release(lane, harness.node.epoch(), Optional.empty());
        assertThat(lanes.lease(harness.node.epoch(), now, 5)).as("asleep").isEmpty();
    }
}
