package dev.sluice.relay.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Line;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.OnTheWire;
import dev.sluice.relay.circuit.Cooldowns;
import dev.sluice.relay.circuit.SharedCircuits;
import dev.sluice.relay.dispatch.Delivering;
import dev.sluice.relay.dispatch.Dispatcher;
import dev.sluice.relay.dispatch.Holds;
import dev.sluice.relay.node.Node;
import dev.sluice.relay.settle.Settlement;
import dev.sluice.relay.store.Partitions;
import dev.sluice.relay.store.Results;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.ScriptedSender;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/// What is lost on the way is found again: hints by the sweep, deliveries by the look for leaks.
class UpkeepTest {

    private static final Database DATABASE = TestCluster.newDatabase();

    private final Db db = emptied();
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Given given = new Given(db);
    private final SourceId source = given.source();
    private final ConnectionId connection =
            given.connection(source, given.destination("a.example", 4));
    private final Routing routing =
            Routing.open(db, new SourceStore(Given.SEALER), new DestinationStore(Given.SEALER));
    private final Node node = Node.join(db, new UUID(1, 1), clock);
    private final SharedCircuits circuits =
            SharedCircuits.open(db, node, Cooldowns.STANDARD, clock);
    private final Dispatcher dispatcher = dispatcher();
    private final Leaks leaks = new Leaks(db, node, dispatcher, clock);
    private final Sweep sweep = new Sweep(db, routing, new Holds(circuits), clock);

    private static Db emptied() {
        var db = TestCluster.open(DATABASE);
        Given.nothing(db);
        return db;
    }

    private Dispatcher dispatcher() {
        var results =
                new Results(
                        new Line(DATABASE, "results"),
                        new Partitions(db),
                        node::epoch,
                        new Uuid7(clock, new Random(2)),
                        clock);
        var delivering =
                new Delivering(
                        routing,
                        (_, _, _) -> false,
                        new ScriptedSender(),
                        new Settlement(clock, new Random(3), 0),
                        circuits,
                        OnTheWire.UNNOTED,
                        clock);
        return new Dispatcher(
                routing, node, results, delivering, circuits, Thread::startVirtualThread, clock);
    }

    @AfterEach
    void close() {
        db.close();
    }

    private DeliveryId work(@Nullable Long owner, @Nullable Instant nextAt) {
        var id = DeliveryId.of(Some.eventId(clock.instant()), 1);
        db.run(tx ->
                tx.update(
                        """
                        insert into delivery_work (id, source_id, connection_id, owner, next_at, trigger)
                        values (?, ?, ?, ?, ?, 1)
                        """,
                        id.value(),
                        source.value(),
                        connection.value(),
                        owner,
                        nextAt));
        return id;
    }

    private boolean isWaiting(DeliveryId delivery) {
        return db.call(tx ->
                tx.single(
                        "select owner is null as is_waiting from delivery_work where id = ?",
                        row -> row.bool("is_waiting"),
                        delivery.value()));
    }

    private List<Instant> wakes() {
        return db.call(tx -> tx.query("select wake_at from lane", row -> row.instant("wake_at")));
    }

    @Test
    void a_delivery_that_nobody_knows_is_found_in_the_second_round() {
        var lost = work(node.epoch(), null);
        clock.advance(Duration.ofSeconds(61));
        var young = work(node.epoch(), null);

        leaks.run();
        assertThat(isWaiting(lost)).isFalse();
        assertThat(leaks.found()).isZero();

        leaks.run();
        assertThat(isWaiting(lost)).isTrue();
        assertThat(isWaiting(young)).isFalse();
        assertThat(leaks.found()).isEqualTo(1);
    }

    @Test
    void a_delivery_of_a_live_node_is_left_to_that_node() {
        var other = Node.join(db, new UUID(2, 2), clock);
        var theirs = work(other.epoch(), null);
        clock.advance(Duration.ofSeconds(61));

        leaks.run();
        leaks.run();

        assertThat(isWaiting(theirs)).isFalse();
        assertThat(leaks.found()).isZero();
    }

    /// A node that slept through its own takeover may commit once more under its old epoch.
    @Test
    void what_was_written_for_a_node_that_is_forgotten_is_found() {
        long forgotten = 4_000_000;
        var orphan = work(forgotten, null);
        db.run(tx ->
                tx.update(
                        """
                        insert into lane (connection_id, trigger, source_id, wake_at, owner)
                        values (?, 1, ?, 'infinity', ?)
                        """,
                        connection.value(),
                        source.value(),
                        forgotten));

        leaks.run();

        assertThat(isWaiting(orphan)).isTrue();
        assertThat(wakes()).containsExactly(clock.instant());
    }

    @Test
    void a_sweep_wakes_what_is_not_held() throws InterruptedException {
        var later = clock.instant().plusSeconds(30);
        work(null, later);

        sweep.run();

        assertThat(wakes()).containsExactly(later);
    }

    @Test
    void a_sweep_lets_held_lanes_sleep() throws InterruptedException {
        given.paused(source, true);
        routing.run();
        work(null, clock.instant());

        sweep.run();

        assertThat(wakes()).isEmpty();
    }

    @Test
    void a_sweep_wakes_lanes_of_deleted_connections_at_once() throws InterruptedException {
        given.deleted(connection);
        routing.run();
        work(null, clock.instant().plusSeconds(3_600));

        sweep.run();

        assertThat(wakes()).containsExactly(clock.instant());
    }
}
