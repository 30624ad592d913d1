package dev.sluice.relay.dispatch;

import static org.awaitility.Awaitility.await;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.routing.Expiry;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Line;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.Checked;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.OnTheWire;
import dev.sluice.relay.Payload;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.circuit.Cooldowns;
import dev.sluice.relay.circuit.SharedCircuits;
import dev.sluice.relay.node.Node;
import dev.sluice.relay.send.Sender;
import dev.sluice.relay.settle.Settlement;
import dev.sluice.relay.store.Accepted;
import dev.sluice.relay.store.Journal;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.Lanes;
import dev.sluice.relay.store.Partitions;
import dev.sluice.relay.store.Receipt;
import dev.sluice.relay.store.Results;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.ScriptedSender;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

import org.awaitility.core.ConditionFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/// Everything between ingest and the wire, on a real database, with a clock that is moved by hand.
/// Journal and results write by themselves; rounds of the backlog are the test's.
final class Engine implements AutoCloseable {

    private static final Payload PAYLOAD = Some.payload("{}");
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /// The database, by the way that each of its users takes.
    record Ways(Database pool, Database journal, Database results) {}

    final Db db;
    final ManualClock clock;
    final Given given;
    final ScriptedSender sender = new ScriptedSender();
    final Routing routing;
    final Node node;
    final SharedCircuits circuits;
    final Dispatcher dispatcher;
    final Backlog backlog;

    private final Uuid7 ids;

    /// Nanoseconds that this process did not notice.
    private final AtomicLong asleep = new AtomicLong();

    private final Results results;
    private final Journal journal;

    /// Results whose commit the dispatcher was told of.
    private final AtomicInteger written = new AtomicInteger();

    /// One for all tests of this room: they come one after the other. Of each thread, for test
    /// classes that run side by side.
    private static final ThreadLocal<Database> DATABASE =
            ThreadLocal.withInitial(TestCluster::newDatabase);

    /// The only node.
    static Engine alone() {
        return alone(Dispatcher.PERMITS);
    }

    /// The only node, with so many attempts at a time.
    static Engine alone(int permits) {
        try (var db = TestCluster.open(DATABASE.get())) {
            Given.nothing(db);
        }
        return another(permits);
    }

    /// One more node of the same relay.
    static Engine another() {
        return another(Dispatcher.PERMITS);
    }

    private static Engine another(int permits) {
        var engine =
                new Engine(
                        new Ways(DATABASE.get(), DATABASE.get(), DATABASE.get()),
                        UUID.randomUUID(),
                        new ManualClock(Some.NOON),
                        new Random(9),
                        Cooldowns.STANDARD,
                        sender -> sender,
                        _ -> OnTheWire.UNNOTED,
                        permits);
        new Partitions(engine.db).makeAhead(engine.clock.instant());
        return engine;
    }

    /// @param wire what stands between the engine and its own sender, or in place of it
    Engine(Ways ways, UUID home, ManualClock clock, Random random, UnaryOperator<Sender> wire) {
        this(ways, home, clock, random, Cooldowns.STANDARD, wire);
    }

    Engine(
            Ways ways,
            UUID home,
            ManualClock clock,
            Random random,
            Cooldowns cooldowns,
            UnaryOperator<Sender> wire) {
        this(ways, home, clock, random, cooldowns, wire, _ -> OnTheWire.UNNOTED);
    }

    /// @param notes begins to note what is on the wire
    Engine(
            Ways ways,
            UUID home,
            ManualClock clock,
            Random random,
            Cooldowns cooldowns,
            UnaryOperator<Sender> wire,
            Function<Db, OnTheWire> notes) {
        this(ways, home, clock, random, cooldowns, wire, notes, Dispatcher.PERMITS);
    }

    private Engine(
            Ways ways,
            UUID home,
            ManualClock clock,
            Random random,
            Cooldowns cooldowns,
            UnaryOperator<Sender> wire,
            Function<Db, OnTheWire> notes,
            int permits) {
        this.clock = clock;
        ids = new Uuid7(clock, random);
        db = TestCluster.open(ways.pool());
        given = new Given(db);
        var partitions = new Partitions(db);
        routing =
                Routing.open(db, new SourceStore(Given.SEALER), new DestinationStore(Given.SEALER));
        var onTheWire = notes.apply(db);
        node = Node.join(db, home, clock, () -> System.nanoTime() + asleep.get());
        results =
                new Results(
                        new Line(ways.results(), "results"), partitions, node::epoch, ids, clock);
        journal =
                new Journal(
                        new Line(ways.journal(), "journal"), partitions, node::epoch, ids, clock);
        var settlement = new Settlement(clock, new Random(3), 0);
        circuits = SharedCircuits.open(db, node, cooldowns, clock);
        var delivering =
                new Delivering(
                        routing,
                        Expiry.byPlan(routing, PlanCatalog.standard()),
                        wire.apply(sender),
                        settlement,
                        circuits,
                        onTheWire,
                        clock);
        dispatcher =
                new Dispatcher(
                        routing,
                        node,
                        results,
                        delivering,
                        circuits,
                        Thread::startVirtualThread,
                        clock,
                        permits);
        node.onFenced(dispatcher::dropAll);
        backlog =
                new Backlog(
                        Lanes.of(db),
                        routing,
                        node,
                        dispatcher,
                        delivering,
                        results,
                        circuits,
                        clock,
                        () -> 0);
        results.start((batch, effective) -> {
            dispatcher.written(batch, effective);
            written.addAndGet(batch.size());
        });
        journal.start(dispatcher.intake());
    }

    /// Monotonic time passes without a heartbeat, as for a process that is stopped.
    void sleep(Duration time) {
        asleep.addAndGet(time.toNanos());
    }

    /// Its lease is over on the database's clock.
    void loseLease() {
        db.run(tx ->
                tx.update(
                        "update node set lease_until = now() - interval '1 second' where epoch = ?",
                        node.epoch()));
    }

    /// Learns what was given.
    void learn() {
        routing.run();
    }

    /// As ingest does: straight to dispatch when nothing holds it and there is room.
    DeliveryId accept(ConnectionId connection) {
        var route = routing.route(connection).orElseThrow();
        boolean isFresh =
                route.hold(false).isEmpty()
                        && dispatcher.intake().reserve(route.destination().id(), PAYLOAD.size());
        return store(connection, isFresh);
    }

    /// Stored without going through memory, as when there is no room.
    DeliveryId acceptWaiting(ConnectionId connection) {
        return store(connection, false);
    }

    EventId newId() {
        return new EventId(ids.next(12));
    }

    /// As ingest does, with one delivery to each connection. What its sender is told; never returns
    /// where the process dies first.
    ///
    /// @param isRoom whether there is room in memory for any of them
    Receipt.State ingest(EventId id, Payload payload, List<ConnectionId> to, boolean isRoom) {
        var planned = new ArrayList<Accepted.Planned>();
        for (var connection : to) {
            var route = routing.route(connection).orElseThrow();
            boolean isFresh =
                    isRoom
                            && route.hold(false).isEmpty()
                            && dispatcher
                                    .intake()
                                    .reserve(route.destination().id(), payload.size());
            planned.add(
                    new Accepted.Planned(DeliveryId.of(id, planned.size() + 1), route, isFresh));
        }
        var event =
                new Accepted(
                        id,
                        planned.getFirst().route().source().id(),
                        "POST",
                        Optional.empty(),
                        Checked.SKIPPED,
                        payload,
                        planned,
                        List.of(),
                        new Receipt(System.nanoTime() + PATIENCE.toNanos()));
        return journal.offer(event) ? event.receipt().await() : Receipt.State.REFUSED;
    }

    private DeliveryId store(ConnectionId connection, boolean isFresh) {
        var route = routing.route(connection).orElseThrow();
        var id = new EventId(ids.next(12));
        var delivery = DeliveryId.of(id, 1);
        var event =
                new Accepted(
                        id,
                        route.source().id(),
                        "POST",
                        Optional.empty(),
                        Checked.SKIPPED,
                        PAYLOAD,
                        List.of(new Accepted.Planned(delivery, route, isFresh)),
                        List.of(),
                        new Receipt(System.nanoTime() + PATIENCE.toNanos()));
        if (!journal.offer(event) || event.receipt().await() != Receipt.State.STORED) {
            throw new AssertionError("not stored");
        }
        return delivery;
    }

    /// Many rows at once, written straight into the tables.
    void backlogOf(ConnectionId connection, int rows) {
        backlogOf(connection, rows, Trigger.INGEST);
    }

    void resendsOf(ConnectionId connection, int rows) {
        backlogOf(connection, rows, Trigger.RESEND);
    }

    void backlogOf(ConnectionId connection, int rows, Trigger trigger) {
        var route = routing.route(connection).orElseThrow();
        var events = new ArrayList<List<Object>>();
        var work = new ArrayList<List<Object>>();
        for (int i = 0; i < rows; i++) {
            var id = new EventId(ids.next(12));
            events.add(List.of(id.value(), route.source().id().value()));
            work.add(
                    List.of(
                            DeliveryId.of(id, 1).value(),
                            clock.instant(),
                            route.source().id().value(),
                            connection.value(),
                            (int) trigger.number()));
        }
        db.run(tx -> {
            tx.updateEach(
                    """
                    insert into event (id, source_id, method, verification, fanout, body_size, headers, body)
                    values (?, ?, 'POST', 3, 1, 0, '', '')
                    """,
                    events);
            tx.updateEach(
                    """
                    insert into delivery_work (id, next_at, source_id, connection_id, trigger)
                    values (?, ?, ?, ?, ?)
                    """,
                    work);
        });
    }

    /// Wakes every lane in which something waits, as the sweep does, whatever holds it.
    void wakeAll() {
        db.run(tx ->
                tx.update(
                        """
                        insert into lane (connection_id, trigger, source_id, wake_at)
                        select connection_id, trigger, source_id, min(next_at)
                          from delivery_work
                         where next_at is not null
                         group by 1, 2, 3
                        on conflict (connection_id, trigger) do update
                           set wake_at = least(lane.wake_at, excluded.wake_at)
                        """));
    }

    /// Wakes the lane of one connection before anything in it is due.
    void wakeNow(ConnectionId connection, SourceId source) {
        var lane = new Lane(connection, Trigger.INGEST, source);
        db.run(tx -> LaneStore.wake(tx, List.of(new LaneStore.Wake(lane, clock.instant()))));
    }

    /// One round over all lanes in which something waits.
    void round() {
        wakeAll();
        turn();
    }

    /// One round of circuits and backlog over lanes that are awake, as the server's loops do them.
    void turn() {
        circuits.run();
        try {
            backlog.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /// One look after destinations whose rate limit found it too early.
    void look() {
        dispatcher.pacing().look();
    }

    /// Rounds until nothing is left to send.
    void roundsUntilDone() {
        soon().until(() -> {
            round();
            return count("delivery_work") == 0;
        });
    }

    /// Returns when so many results were written since the start.
    void awaitWritten(int results) {
        soon().until(() -> written.get() >= results);
    }

    void awaitSent(String host, int parcels) {
        soon().until(() -> sender.sentTo(host).size() >= parcels);
    }

    static ConditionFactory soon() {
        return await().atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
    }

    long count(String table) {
        return db.call(
                tx -> tx.single("select count(*) as n from " + table, row -> row.number("n")));
    }

    /// `status attempts error_code` of what is finished; `waiting` or `owned` and the attempts so
    /// far of what is not.
    String standing(DeliveryId delivery) {
        return db.call(tx ->
                tx.single(
                        """
                        select status || ' ' || attempts || coalesce(' ' || error_code, '') as standing
                          from delivery
                         where id = ?
                        union all
                        select case when owner is null then 'waiting ' else 'owned ' end || attempts
                          from delivery_work
                         where id = ?
                        """,
                        row -> row.text("standing"),
                        delivery.value(),
                        delivery.value()));
    }

    /// Stops as the server does.
    void stop(Duration budget) {
        try {
            journal.close();
            dispatcher.stop(budget);
            results.close();
            backlog.leave();
            circuits.run();
            node.leave();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        for (var parcel : sender.parcels()) {
            sender.letGo(parcel.url().host().text());
        }
        journal.close();
        results.close();
        db.close();
    }
}
