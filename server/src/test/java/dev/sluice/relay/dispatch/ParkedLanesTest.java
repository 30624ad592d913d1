package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.OnTheWire;
import dev.sluice.relay.Payload;
import dev.sluice.relay.settle.Settlement;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.Lanes;
import dev.sluice.relay.upkeep.Sweep;

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

/// Lanes of connections that are held cost nothing until the hold is lifted.
class ParkedLanesTest {

    private static final int MANY = 1_000;

    private final Engine engine = Engine.alone();
    private final SourceId source = engine.given.source();
    private final AtomicInteger statements = new AtomicInteger();
    private final Backlog backlog =
            new Backlog(
                    new Counted(Lanes.of(engine.db), statements),
                    engine.routing,
                    engine.node,
                    engine.dispatcher,
                    new Delivering(
                            engine.routing,
                            (_, _, _) -> false,
                            engine.sender,
                            new Settlement(engine.clock, new Random(3), 0),
                            engine.circuits,
                            OnTheWire.UNNOTED,
                            engine.clock),
                    settled -> {
                        throw new AssertionError("nothing is settled here: " + settled);
                    },
                    engine.circuits,
                    engine.clock,
                    () -> 0);

    @AfterEach
    void close() {
        engine.close();
    }

    /// Lanes, and how often they were asked.
    private record Counted(Lanes lanes, AtomicInteger statements) implements Lanes {

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
        public List<LaneStore.Waiting> due(
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

    /// One delivery on each of many connections, of as many sources.
    private void manyWaitingFor(DestinationId destination) {
        engine.db.run(tx -> {
            tx.update(
                    """
                    insert into source (id, workspace_id, name, color, token, status, created_at,
                                        updated_at, version)
                    select gen_random_uuid(), workspace_id, name, color, 'many' || n, status, created_at,
                           updated_at, version
                      from source, generate_series(1, ?) as n
                     where id = ?
                    """,
                    MANY,
                    source.value());
            tx.update(
                    """
                    insert into connection (id, workspace_id, source_id, destination_id, enabled,
                                            created_at, updated_at, version)
                    select gen_random_uuid(), workspace_id, id, ?, true, created_at, updated_at, version
                      from source
                     where token like 'many%'
                    """,
                    destination.value());
            tx.update(
                    """
                    insert into delivery_work (id, next_at, source_id, connection_id, trigger)
                    select gen_random_uuid(), ?, source_id, id, 1
                      from connection
                     where destination_id = ?
                    """,
                    engine.clock.instant(),
                    destination.value());
        });
    }

    private long leasedLanes() {
        return engine.count("lane where owner is not null");
    }

    @Test
    void a_thousand_held_lanes_are_parked_a_few_a_round_and_cost_nothing_after_that()
            throws InterruptedException {
        var destination = engine.given.destination("held.example", 4);
        var living = engine.given.connection(source, engine.given.destination("b.example", 4));
        manyWaitingFor(destination);
        engine.given.paused(destination, true);
        engine.learn();
        engine.wakeAll();
        engine.backlogOf(living, 1);
        engine.wakeNow(living, source);

        int most = statementsOfARound();
        assertThat(most).as("others are not kept waiting for a thousand").isLessThan(100);
        assertThat(engine.sender.sentTo("b.example")).hasSizeLessThanOrEqualTo(1);
        while (backlog.run()) {
            assertThat(statements.get()).isLessThan(2 * MANY);
        }
        engine.awaitSent("b.example", 1);
        assertThat(engine.sender.sentTo("held.example")).isEmpty();

        engine.awaitWritten(1);
        backlog.run(); // the lane of the living is empty
        assertThat(leasedLanes()).isZero();
        new Sweep(engine.db, engine.routing, new Holds(engine.circuits), engine.clock).run();
        assertThat(statementsOfARound()).as("one, to lease").isEqualTo(1);
    }

    @Test
    void nothing_is_read_while_there_is_no_memory_for_it() throws InterruptedException {
        var destination = engine.given.destination("full.example", 4);
        var connection = engine.given.connection(source, destination);
        engine.learn();
        assertThat(engine.dispatcher.intake().reserve(destination, 256 << 20)).isTrue();
        engine.backlogOf(connection, 1);
        engine.wakeNow(connection, source);
        backlog.run();

        assertThat(statementsOfARound()).as("one, to lease").isEqualTo(1);
        engine.dispatcher.intake().cancel(destination, 256 << 20);
        backlog.run();
        engine.awaitSent("full.example", 1);
    }

    @Test
    void a_node_that_has_not_heard_yet_parks_the_lane_and_wakes_it_when_it_hears() {
        var destination = engine.given.destination("held.example", 4);
        var connection = engine.given.connection(source, destination);
        engine.given.paused(destination, true);
        engine.learn();
        engine.backlogOf(connection, 1);
        try (var late = Engine.another()) {
            engine.given.paused(destination, false);
            engine.wakeNow(connection, source); // as the sweep of a node does that has heard
            late.backlog.run();
            assertThat(leasedLanes()).isZero();
            assertThat(late.sender.parcels()).isEmpty();

            late.learn();
            new Sweep(late.db, late.routing, new Holds(late.circuits), late.clock).run();
            late.backlog.run();

            late.awaitSent("held.example", 1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_wake_that_comes_while_a_lane_is_leased_is_not_lost() {
        var connection = engine.given.connection(source, engine.given.destination("a.example", 4));
        engine.learn();
        engine.backlogOf(connection, 1);
        engine.wakeNow(connection, source);
        var lanes = Lanes.of(engine.db);
        var now = engine.clock.instant();
        var lane = lanes.lease(engine.node.epoch(), now, 5).getFirst();
        engine.wakeNow(connection, source);

        lanes.release(lane, engine.node.epoch(), Optional.empty());

        assertThat(leasedLanes()).isZero();
        assertThat(lanes.lease(engine.node.epoch(), now, 5)).containsExactly(lane);
        lanes.release(lane, engine.node.epoch(), Optional.empty());
        assertThat(lanes.lease(engine.node.epoch(), now, 5)).as("asleep").isEmpty();
    }
}
