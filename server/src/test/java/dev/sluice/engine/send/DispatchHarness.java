package dev.sluice.engine.send;

import static org.awaitility.Awaitility.await;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.EventVerification;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.Payload;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.commit.AcceptedEvent;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.commit.Journal;
import dev.sluice.engine.commit.JournalListener;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.commit.Receipt;
import dev.sluice.engine.commit.ResultJournal;
import dev.sluice.engine.lanes.Backlog;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.lanes.Lanes;
import dev.sluice.engine.node.Heartbeat;
import dev.sluice.engine.node.Node;
import dev.sluice.engine.node.TakeoverLoop;
import dev.sluice.engine.settle.CooldownBackoff;
import dev.sluice.engine.settle.Settlement;
import dev.sluice.engine.settle.SharedCircuits;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.routing.ExpiryPolicy;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.DeliveryState;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.ScriptedSender;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.awaitility.core.ConditionFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/// One node from ingest to the sender, on a real database, with a clock that the test moves. The
/// journals write on threads of their own; the test runs the rounds of the backlog.
final class DispatchHarness implements AutoCloseable {

    private static final Payload PAYLOAD = Some.payload("{}");
    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(60);

    /// The addresses through which each user of the database reaches it.
    record DatabaseAddresses(Database pool, Database journal, Database results) {}

    final Db db;
    final ManualClock clock;
    final Given given;
    final ScriptedSender sender = new ScriptedSender();
    final ConfigurationCache configuration;
    final Node node;
    final Heartbeat heartbeat;
    final TakeoverLoop takeover;
    final SharedCircuits circuits;
    final Dispatcher dispatcher;
    final CountingLanes lanes;
    final Backlog backlog;

    private final Uuid7 ids;

    /// The monotonic clock by which leases end. It stands still but for `skipMonotonicTime`: on a
    /// busy machine a test may take longer than a lease, and nothing renews one beside it.
    private final AtomicLong nanos = new AtomicLong();

    private final int permits;
    private final ResultJournal resultJournal;
    private final Journal journal;
    private final Loop overdueLoop;

    /// For each event that `store` waits for, completed once its fresh deliveries are queued.
    private final ConcurrentHashMap<EventId, CompletableFuture<EventId>> queued =
            new ConcurrentHashMap<>();

    /// Results given to the result journal.
    private final AtomicInteger added = new AtomicInteger();

    /// Results whose commit was reported to the dispatcher.
    private final AtomicInteger written = new AtomicInteger();

    /// One database for all tests of this package, which run one after the other. There is one per
    /// thread, for test classes that run in parallel.
    private static final ThreadLocal<Database> THREAD_DATABASE =
            ThreadLocal.withInitial(TestPostgres::newDatabase);

    /// Creates the only node.
    static DispatchHarness firstNode() {
        return firstNode(Dispatcher.MAX_ATTEMPTS_IN_FLIGHT);
    }

    /// Creates the only node, with this many permits.
    static DispatchHarness firstNode(int permits) {
        return firstNode(permits, 0);
    }

    /// Creates the only node, with this many permits, and so many more for slow attempts.
    static DispatchHarness firstNode(int permits, int slowPermits) {
        try (var db = TestPostgres.open(THREAD_DATABASE.get())) {
            Given.clearTables(db);
        }
        return anotherNode(permits, slowPermits);
    }

    /// Creates one more node on the same database.
    static DispatchHarness anotherNode() {
        return anotherNode(Dispatcher.MAX_ATTEMPTS_IN_FLIGHT, 0);
    }

    private static DispatchHarness anotherNode(int permits, int slowPermits) {
        var harness =
                new DispatchHarness(
                        new DatabaseAddresses(
                                THREAD_DATABASE.get(),
                                THREAD_DATABASE.get(),
                                THREAD_DATABASE.get()),
                        UUID.randomUUID(),
                        new ManualClock(Some.NOON),
                        new Random(9),
                        CooldownBackoff.STANDARD,
                        sender -> sender,
                        _ -> InFlightRecorder.NO_OP,
                        permits,
                        slowPermits);
        new PartitionStore(harness.db).makeAhead(harness.clock.instant());
        return harness;
    }

    /// @param wire wraps or replaces the harness's own sender
    DispatchHarness(
            DatabaseAddresses addresses,
            UUID dataDirectoryId,
            ManualClock clock,
            Random random,
            UnaryOperator<Sender> wire) {
        this(addresses, dataDirectoryId, clock, random, CooldownBackoff.STANDARD, wire);
    }

    DispatchHarness(
            DatabaseAddresses addresses,
            UUID dataDirectoryId,
            ManualClock clock,
            Random random,
            CooldownBackoff cooldowns,
            UnaryOperator<Sender> wire) {
        this(
                addresses,
                dataDirectoryId,
                clock,
                random,
                cooldowns,
                wire,
                _ -> InFlightRecorder.NO_OP);
    }

    /// @param recorders opens the recorder of attempts in flight
    DispatchHarness(
            DatabaseAddresses addresses,
            UUID dataDirectoryId,
            ManualClock clock,
            Random random,
            CooldownBackoff cooldowns,
            UnaryOperator<Sender> wire,
            Function<Db, InFlightRecorder> recorders) {
        this(
                addresses,
                dataDirectoryId,
                clock,
                random,
                cooldowns,
                wire,
                recorders,
                Dispatcher.MAX_ATTEMPTS_IN_FLIGHT,
                0);
    }

    private DispatchHarness(
            DatabaseAddresses addresses,
            UUID dataDirectoryId,
            ManualClock clock,
            Random random,
            CooldownBackoff cooldowns,
            UnaryOperator<Sender> wire,
            Function<Db, InFlightRecorder> recorders,
            int permits,
            int slowPermits) {
        this.clock = clock;
        this.permits = permits + slowPermits;
        ids = new Uuid7(clock, random);
        db = TestPostgres.open(addresses.pool());
        given = new Given(db);
        var partitions = new PartitionStore(db);
        configuration =
                ConfigurationCache.open(
                        db,
                        new SourceStore(Given.SEALER),
                        new DestinationStore(Given.SEALER),
                        new Wake());
        var recorder = recorders.apply(db);
        node = Node.join(db, dataDirectoryId, nanos::get);
        takeover = new TakeoverLoop(db, node, clock, new Wake(), nanos::get);
        takeover.run();
        resultJournal =
                new ResultJournal(
                        new DedicatedConnection(addresses.results(), "results"),
                        partitions,
                        node::epoch,
                        ids,
                        clock);
        journal =
                new Journal(
                        new DedicatedConnection(addresses.journal(), "journal"),
                        partitions,
                        node::epoch,
                        ids,
                        clock);
        var settlement = new Settlement(clock, new Random(3), 0);
        circuits =
                SharedCircuits.open(
                        db, node, cooldowns, LaneStore::wake, clock, new Wake(), new Wake());
        var attemptRunner =
                new AttemptRunner(
                        configuration,
                        ExpiryPolicy.byPlan(configuration, PlanCatalog.builtIn(), clock),
                        wire.apply(sender),
                        settlement,
                        circuits,
                        recorder,
                        clock);
        var environment =
                new DispatchEnvironment(
                        configuration,
                        node,
                        this::addResult,
                        circuits,
                        clock,
                        DispatchWakes.create());
        dispatcher =
                TestDispatchers.with(
                        environment,
                        attemptRunner,
                        Thread::startVirtualThread,
                        permits,
                        slowPermits);
        heartbeat = new Heartbeat(node, dispatcher::dropAll);
        lanes = new CountingLanes(Lanes.of(db));
        backlog = new Backlog(environment, lanes, dispatcher, attemptRunner, () -> 0);
        resultJournal.start((batch, effective) -> {
            dispatcher.written(batch, effective);
            written.addAndGet(batch.size());
        });
        var overdue = journal.overdueChore();
        overdueLoop = Loop.start(overdue.name(), overdue.interval(), overdue.step());
        journal.start(new AdmissionListener());
    }

    /// Passes stored events to the dispatcher, then tells `store` that they are queued.
    private final class AdmissionListener implements JournalListener {

        @Override
        public void stored(List<AcceptedEvent> events, long epoch) {
            dispatcher.admission().stored(events, epoch);
            for (var event : events) {
                var waiting = queued.remove(event.id());
                if (waiting != null) {
                    waiting.complete(event.id());
                }
            }
        }

        @Override
        public void dropped(AcceptedEvent event) {
            dispatcher.admission().dropped(event);
        }
    }

    private void addResult(DeliveryResult result, boolean isAwaited) throws InterruptedException {
        added.incrementAndGet();
        resultJournal.add(result, isAwaited);
    }

    /// Advances the monotonic clock without a heartbeat, as if the process had been frozen.
    void skipMonotonicTime(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /// Declares the node dead, as another does that sees no heartbeat of it.
    void loseLease() {
        db.run(tx -> tx.update("update node set state = 'dead' where epoch = ?", node.epoch()));
    }

    /// Runs a heartbeat, then takes over from nodes that are gone.
    void runNode() {
        heartbeat.run();
        takeover.run();
    }

    /// Reads what `given` has written.
    void refreshConfiguration() {
        configuration.run();
    }

    /// Accepts an event as ingest does: straight to dispatch if nothing holds it and there is room.
    DeliveryId accept(ConnectionId connection) {
        var route = configuration.route(connection).orElseThrow();
        boolean isFresh =
                route.holdReason(false).isEmpty()
                        && dispatcher
                                .admission()
                                .reserve(route.destination().id(), PAYLOAD.memoryBytes());
        return store(connection, isFresh);
    }

    /// Stores an event as waiting, as when there is no room in memory.
    DeliveryId acceptWaiting(ConnectionId connection) {
        return store(connection, false);
    }

    EventId newId() {
        return new EventId(ids.next(12));
    }

    /// Accepts an event as ingest does, with one delivery to each connection. Returns what its
    /// sender is answered, and never returns if the process dies first.
    ///
    /// @param isRoom whether there is room in memory for any of them
    Receipt.ReceiptState ingest(
            EventId id, Payload payload, List<ConnectionId> to, boolean isRoom) {
        var planned = new ArrayList<AcceptedEvent.PlannedDelivery>();
        for (var connection : to) {
            var route = configuration.route(connection).orElseThrow();
            boolean isFresh =
                    isRoom
                            && route.holdReason(false).isEmpty()
                            && dispatcher
                                    .admission()
                                    .reserve(route.destination().id(), payload.memoryBytes());
            planned.add(
                    new AcceptedEvent.PlannedDelivery(
                            DeliveryId.of(id, planned.size() + 1), route, isFresh));
        }
        var event =
                new AcceptedEvent(
                        id,
                        planned.getFirst().route().source(),
                        "POST",
                        Optional.empty(),
                        EventVerification.SKIPPED,
                        payload,
                        new AcceptedEvent.DeliveryPlan(planned, List.of()),
                        new Receipt(System.nanoTime() + AWAIT_TIMEOUT.toNanos()));
        return journal.offer(event) ? event.receipt().await() : Receipt.ReceiptState.REFUSED;
    }

    /// Returns once the event is stored and its delivery, if it is fresh, is queued. A sender gets
    /// its answer earlier, between the two.
    private DeliveryId store(ConnectionId connection, boolean isFresh) {
        var route = configuration.route(connection).orElseThrow();
        var id = new EventId(ids.next(12));
        var delivery = DeliveryId.of(id, 1);
        var queuing = new CompletableFuture<EventId>();
        queued.put(id, queuing);
        var event =
                new AcceptedEvent(
                        id,
                        route.source(),
                        "POST",
                        Optional.empty(),
                        EventVerification.SKIPPED,
                        PAYLOAD,
                        new AcceptedEvent.DeliveryPlan(
                                List.of(
                                        new AcceptedEvent.PlannedDelivery(
                                                delivery, route, isFresh)),
                                List.of()),
                        new Receipt(System.nanoTime() + AWAIT_TIMEOUT.toNanos()));
        if (!journal.offer(event) || event.receipt().await() != Receipt.ReceiptState.STORED) {
            throw new AssertionError("not stored");
        }
        queuing.orTimeout(AWAIT_TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
        return delivery;
    }

    /// Writes many waiting deliveries straight into the tables.
    void backlogOf(ConnectionId connection, int rows) {
        backlogOf(connection, rows, Trigger.INGEST);
    }

    void resendsOf(ConnectionId connection, int rows) {
        backlogOf(connection, rows, Trigger.RESEND);
    }

    void backlogOf(ConnectionId connection, int rows, Trigger trigger) {
        var route = configuration.route(connection).orElseThrow();
        var events = new ArrayList<GivenRows.EventRow>();
        var work = new ArrayList<GivenRows.WorkRow>();
        var source = route.source().id();
        for (int i = 0; i < rows; i++) {
            var id = new EventId(ids.next(12));
            events.add(new GivenRows.EventRow(id, source, 1));
            work.add(
                    GivenRows.WorkRow.waiting(
                                    DeliveryId.of(id, 1), source, connection, clock.instant())
                            .withTrigger(trigger));
        }
        db.run(tx -> {
            GivenRows.insertEvents(tx, events);
            GivenRows.insertWork(tx, work);
        });
    }

    /// Wakes every lane that has waiting deliveries, even if on hold.
    void wakeAll() {
        db.run(tx ->
                tx.update(
                        """
                        insert into lane (connection_id, trigger, source_id, workspace_id, wake_at)
                        select connection_id, trigger, source_id, workspace_id, min(next_at)
                          from delivery_work
                          join source on source.id = source_id
                         where next_at is not null
                         group by 1, 2, 3, 4
                        on conflict (connection_id, trigger) do update
                           set wake_at = least(lane.wake_at, excluded.wake_at)
                        """));
    }

    /// Wakes the lane of one connection, even if nothing in it is due.
    void wakeNow(ConnectionId connection, SourceId source) {
        var lane = new Lane(connection, Trigger.INGEST, source);
        db.run(tx -> LaneStore.wake(tx, List.of(new LaneStore.LaneWake(lane, clock.instant()))));
    }

    /// Runs one round over all lanes that have waiting deliveries.
    void round() {
        wakeAll();
        runLoopsOnce();
    }

    /// Runs one round of circuits and backlog over lanes that are awake, as the server's loops do.
    void runLoopsOnce() {
        circuits.run();
        try {
            backlog.run();
            boolean isAnyLent = false;
            while (backlog.probeLoop().run()) {
                isAnyLent = true;
            }
            if (isAnyLent) {
                backlog.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /// Retries all rate-limited destinations once.
    void retryRateLimited() {
        dispatcher.rateLimitQueue().retryAll();
    }

    /// Runs rounds until nothing is left to send.
    void roundsUntilDone() {
        awaitSoon()
                .until(() -> {
                    round();
                    return count("delivery_work") == 0;
                });
    }

    /// Waits until nothing is in progress: no delivery is in memory, no sender runs, and every
    /// result is written. Tests that then move the clock or read tables see all of it.
    void awaitIdle() {
        awaitSoon().until(this::isIdle);
    }

    /// A delivery leaves memory after its result was added, so memory is checked first.
    private boolean isIdle() {
        return dispatcher.bytes() == 0
                && dispatcher.permitsLeft() == permits
                && written.get() == added.get();
    }

    /// Waits until this many results were written since the start. Their senders may still run, and
    /// hold memory and permits; `awaitIdle` waits for those too.
    void awaitWritten(int results) {
        awaitSoon().until(() -> written.get() >= results);
    }

    void awaitSent(String host, int requests) {
        awaitSoon().until(() -> sender.sentTo(host).size() >= requests);
    }

    static ConditionFactory awaitSoon() {
        return await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
    }

    long count(String table) {
        return db.call(
                tx -> tx.single("select count(*) as n from " + table, row -> row.number("n")));
    }

    DeliveryState stateOf(DeliveryId delivery) {
        var states = DeliveryState.read(db, delivery);
        if (states.size() != 1) {
            throw new IllegalStateException("delivery " + delivery + " has " + states);
        }
        return states.getFirst();
    }

    /// Stops as the server does.
    void stop(Duration budget) {
        try {
            journal.close();
            overdueLoop.close();
            dispatcher.stop(budget);
            resultJournal.close();
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
        for (var request : sender.requests()) {
            sender.release(request.url().host().text());
        }
        journal.close();
        overdueLoop.close();
        resultJournal.close();
        db.close();
    }
}
