package dev.sluice.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.commit.ResultJournal;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.send.AttemptRunner;
import dev.sluice.engine.send.DispatchEnvironment;
import dev.sluice.engine.send.DispatchWakes;
import dev.sluice.engine.send.Dispatcher;
import dev.sluice.engine.send.TestDispatchers;
import dev.sluice.engine.settle.CooldownBackoff;
import dev.sluice.engine.settle.Settlement;
import dev.sluice.engine.settle.SharedCircuits;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.ScriptedSender;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/// The leak detector finds deliveries that their node lost.
class LeakDetectorTest {

    private static final Database DATABASE = TestPostgres.newDatabase();

    private final Db db = emptied();
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Given given = new Given(db);
    private final SourceId source = given.source();
    private final ConnectionId connection =
            given.connection(source, given.destination("a.example", 4));
    private final ConfigurationCache configuration =
            ConfigurationCache.open(
                    db,
                    new SourceStore(Given.SEALER),
                    new DestinationStore(Given.SEALER),
                    new Wake());
    private final Node node = Node.join(db, new UUID(1, 1));
    private final SharedCircuits circuits =
            SharedCircuits.open(
                    db,
                    node,
                    CooldownBackoff.STANDARD,
                    LaneStore::wake,
                    clock,
                    new Wake(),
                    new Wake());
    private final Dispatcher dispatcher = dispatcher();
    private final LeakDetector leakDetector = new LeakDetector(db, node, dispatcher, clock);

    private static Db emptied() {
        var db = TestPostgres.open(DATABASE);
        Given.clearTables(db);
        return db;
    }

    private Dispatcher dispatcher() {
        var resultJournal =
                new ResultJournal(
                        new DedicatedConnection(DATABASE, "results"),
                        new PartitionStore(db),
                        node::epoch,
                        new Uuid7(clock, new Random(2)),
                        clock);
        var attemptRunner =
                new AttemptRunner(
                        configuration,
                        (_, _) -> false,
                        new ScriptedSender(),
                        new Settlement(clock, new Random(3), 0),
                        circuits,
                        InFlightRecorder.NO_OP,
                        clock);
        return TestDispatchers.with(
                new DispatchEnvironment(
                        configuration,
                        node,
                        resultJournal,
                        circuits,
                        clock,
                        DispatchWakes.create()),
                attemptRunner,
                Thread::startVirtualThread);
    }

    @AfterEach
    void close() {
        db.close();
    }

    private DeliveryId owned(long owner) {
        var id = DeliveryId.of(Some.eventId(clock.instant()), 1);
        var row = GivenRows.WorkRow.owned(id, source, connection, owner);
        db.run(tx -> GivenRows.insertWork(tx, List.of(row)));
        return id;
    }

    private boolean isWaiting(DeliveryId delivery) {
        return db.call(tx ->
                tx.single(
                        "select owner is null as is_waiting from delivery_work where id = ?",
                        row -> row.bool("is_waiting"),
                        delivery.value()));
    }

    @Test
    void a_delivery_that_nobody_knows_is_found_in_the_second_round() {
        var lost = owned(node.epoch());
        clock.advance(Duration.ofSeconds(61));
        var young = owned(node.epoch());

        leakDetector.run();
        assertThat(isWaiting(lost)).isFalse();
        assertThat(leakDetector.found()).isZero();

        leakDetector.run();
        assertThat(isWaiting(lost)).isTrue();
        assertThat(isWaiting(young)).isFalse();
        assertThat(leakDetector.found()).isEqualTo(1);
    }

    @Test
    void a_delivery_of_a_live_node_is_left_to_that_node() {
        var other = Node.join(db, new UUID(2, 2));
        var theirs = owned(other.epoch());
        clock.advance(Duration.ofSeconds(61));

        leakDetector.run();
        leakDetector.run();

        assertThat(isWaiting(theirs)).isFalse();
        assertThat(leakDetector.found()).isZero();
    }
}
