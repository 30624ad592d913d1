package dev.sluice;

import dev.sluice.account.access.Access;
import dev.sluice.account.access.FirstStart;
import dev.sluice.account.access.SealingCanary;
import dev.sluice.account.plan.Plan;
import dev.sluice.account.plan.PlanRoutes;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionRoutes;
import dev.sluice.gateway.connection.Purge;
import dev.sluice.gateway.connection.SourceConnections;
import dev.sluice.gateway.destination.DestinationRoutes;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.routing.Expiry;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.gateway.source.SourceRoutes;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.gateway.source.TrashRoutes;
import dev.sluice.observe.audit.Audit;
import dev.sluice.observe.deadletters.DeadLetterRoutes;
import dev.sluice.observe.events.EventRoutes;
import dev.sluice.observe.openapi.OpenApiRoutes;
import dev.sluice.observe.status.StatusRoutes;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.DatabaseClock;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Line;
import dev.sluice.platform.db.Migrations;
import dev.sluice.platform.http.HttpServer;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.postgres.EmbeddedPostgres;
import dev.sluice.platform.secret.RandomText;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.relay.circuit.SharedCircuits;
import dev.sluice.relay.dispatch.Backlog;
import dev.sluice.relay.dispatch.Delivering;
import dev.sluice.relay.dispatch.Dispatcher;
import dev.sluice.relay.dispatch.Holds;
import dev.sluice.relay.ingest.FreeSpace;
import dev.sluice.relay.ingest.Ingest;
import dev.sluice.relay.ingest.IngestBudget;
import dev.sluice.relay.ingest.Quota;
import dev.sluice.relay.node.Node;
import dev.sluice.relay.preview.PreviewRoutes;
import dev.sluice.relay.replay.BulkRoutes;
import dev.sluice.relay.replay.ReplayRoutes;
import dev.sluice.relay.replay.Replaying;
import dev.sluice.relay.replay.ResendRoutes;
import dev.sluice.relay.retention.ExpiryLog;
import dev.sluice.relay.retention.Retaining;
import dev.sluice.relay.send.HttpSender;
import dev.sluice.relay.send.Rehearsal;
import dev.sluice.relay.settle.Settlement;
import dev.sluice.relay.store.Journal;
import dev.sluice.relay.store.Lanes;
import dev.sluice.relay.store.Partitions;
import dev.sluice.relay.store.Results;
import dev.sluice.relay.upkeep.Folding;
import dev.sluice.relay.upkeep.Leaks;
import dev.sluice.relay.upkeep.OldSnapshots;
import dev.sluice.relay.upkeep.Sweep;
import dev.sluice.relay.upkeep.Wakes;
import dev.sluice.relay.wire.Succession;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/// The running server: builds every object, in order, and closes them in reverse.
final class Sluice implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Sluice.class);

    /// What a stop may take: requests under way, then attempts under way. With the rest that
    /// follows it stays within the 25 seconds that a stop is promised to take at most.
    private static final Duration REQUESTS_END = Duration.ofSeconds(3);

    /// Longer than the timeout of a destination that chose none. What takes longer is put back
    /// while its receiver may be at work on it, and is sent again.
    private static final Duration ATTEMPTS_END = Duration.ofSeconds(11);

    /// What an event waits for the database to say whether the month has room for it.
    private static final Duration QUOTA_ANSWERS = Duration.ofSeconds(3);

    /// Something to close; may fail or be interrupted without keeping the others from being closed.
    @FunctionalInterface
    private interface Closing {
        void close() throws Exception;
    }

    private final Deque<Closing> closings = new ArrayDeque<>();
    private volatile boolean isStopping;
    private int port;
    private List<String> routes = List.of();

    private Sluice() {}

    /// Goes by the database's clock.
    ///
    /// @throws StartRefused when it cannot start; nothing is left running then
    static Sluice start(Config config, String version) {
        var host = InstantSource.system();
        var clock = new DatabaseClock(host, System::nanoTime);
        return start(config, clock, host, clock::setBy, version, Optional.empty());
    }

    /// @param freeShare of the disk, in the place of what is measured
    static Sluice start(
            Config config,
            InstantSource clock,
            String version,
            Optional<DoubleSupplier> freeShare) {
        return start(config, clock, clock, _ -> {}, version, freeShare);
    }

    private static Sluice start(
            Config config,
            InstantSource clock,
            InstantSource host,
            Consumer<Db> setClock,
            String version,
            Optional<DoubleSupplier> freeShare) {
        var sluice = new Sluice();
        try {
            sluice.open(config, clock, host, setClock, version, freeShare);
            return sluice;
        } catch (IOException e) {
            sluice.close();
            throw new StartRefused("Sluice could not start: " + e.getMessage());
        } catch (RuntimeException e) {
            sluice.close();
            throw e;
        }
    }

    /// @param setClock by the database that is given
    private void open(
            Config config,
            InstantSource clock,
            InstantSource host,
            Consumer<Db> setClock,
            String version,
            Optional<DoubleSupplier> freeShare)
            throws IOException {
        var random = new RandomText();
        var directory = closeLast(DataDirectory.open(config.dataDir()));
        var sealer = sealer(config, directory, random);

        var database = config.database().orElseGet(() -> embedded(directory));
        migrate(database);
        // Two pools: whatever the API is asked, the relay's own work finds a connection.
        var db = closeLast(Db.open(database, "api", 10, Duration.ofSeconds(5)));
        var relayDb = closeLast(Db.open(database, "relay", 8, Duration.ofSeconds(60)));
        setClock.accept(relayDb);
        // A third for heartbeats and take-overs: no chore may cost the lease.
        var nodeDb = closeLast(Db.open(database, "node", 2, Duration.ofSeconds(60)));
        checkMasterKey(db, sealer);
        var ids = new Uuid7(clock, RandomGenerator.getDefault());
        var partitions = new Partitions(relayDb);
        partitions.makeAhead(clock.instant());

        var note = new FirstStartNote(directory.firstStart(), config.baseUrl());
        var made =
                FirstStart.run(db, config.firstStart(), ids, random, clock.instant(), note::write);
        var sources = new SourceStore(sealer);
        var destinations = new DestinationStore(sealer);
        var routing = Routing.open(relayDb, sources, destinations);
        var wire = closeLast(Succession.begin(directory.wire(), relayDb));
        var node = Node.join(nodeDb, directory.home(), clock);
        closings.push(node::leave);
        loop("heartbeat", Node.HEARTBEAT, node); // until everything it had is put back

        var results =
                new Results(new Line(database, "results"), partitions, node::epoch, ids, clock);
        var journal =
                new Journal(new Line(database, "journal"), partitions, node::epoch, ids, clock);
        var sender =
                closeLast(
                        HttpSender.open(
                                config.addresses(),
                                clock,
                                config.headerPrefix(),
                                Dispatcher.PERMITS));
        var settlement = new Settlement(clock, RandomGenerator.getDefault(), config.retryJitter());
        var circuits = SharedCircuits.open(relayDb, node, config.cooldowns(), clock);
        var holds = new Holds(circuits);
        var delivering =
                new Delivering(
                        routing,
                        Expiry.byPlan(routing, config.plans()),
                        sender,
                        settlement,
                        circuits,
                        wire,
                        clock);
        var dispatcher =
                new Dispatcher(
                        routing, node, results, delivering, circuits, Sluice::startSender, clock);
        node.onFenced(dispatcher::dropAll);

        var wakes = new Wakes(relayDb, routing, holds);
        var sweep = new Sweep(relayDb, routing, holds, clock);
        var backlog =
                new Backlog(
                        Lanes.of(relayDb),
                        routing,
                        node,
                        dispatcher,
                        delivering,
                        results,
                        circuits,
                        clock,
                        System::nanoTime);
        Function<WorkspaceId, Plan.Limits> limits =
                workspace -> config.plans().named(routing.plan(workspace)).limits();
        var budget = new IngestBudget(relayDb, limits, ids.next(), clock);
        var quota = new Quota(relayDb, limits, routing::source, QUOTA_ANSWERS, clock);
        var listeners = new RelayListeners(dispatcher, wakes, quota, clock);
        closings.push(backlog::leave);
        closings.push(quota::leave);
        results.start(listeners);
        closings.push(circuits::run);
        closings.push(wakes::run);
        closeLast(results);
        closings.push(() -> dispatcher.stop(ATTEMPTS_END));
        var reading = loop("backlog", Duration.ofMillis(200), backlog);
        backlog.wakeBy(reading::wake);
        circuits.onChange(reading::wake);
        journal.start(listeners);
        closeLast(journal);

        loop(
                "clock",
                Duration.ofSeconds(30),
                () -> {
                    setClock.accept(relayDb);
                    return false;
                });
        loop("configuration", Duration.ofMillis(500), routing);
        circuits.wakeBy(loop("circuits", Duration.ofSeconds(1), circuits)::wake);
        loop("lane wakes", Duration.ofMillis(50), wakes);
        routing.onChange(loop("sweep", Duration.ofSeconds(10), sweep)::wake);
        loop("trash", Duration.ofMinutes(1), new Purge(relayDb, routing, clock));
        loop("folding", Duration.ofSeconds(1), new Folding(relayDb, System::nanoTime));
        loop("ingest budget", Duration.ofSeconds(1), budget);
        loop("quota", Duration.ofSeconds(1), quota);
        var pacing = dispatcher.pacing();
        pacing.wakeBy(loop("pacing", Duration.ofSeconds(1), pacing)::wake);
        loop("pulses", Duration.ofSeconds(1), dispatcher::feelPulses);
        var quarantine = dispatcher.quarantine();
        quarantine.wakeBy(loop("quarantine", Duration.ofMillis(200), quarantine)::wake);
        loop("old snapshots", Duration.ofSeconds(10), new OldSnapshots(relayDb));
        loop("leaks", Duration.ofSeconds(60), new Leaks(relayDb, node, dispatcher, clock));
        loop(
                "partitions",
                Duration.ofHours(1),
                () -> {
                    partitions.makeAhead(clock.instant());
                    return false;
                });

        var retaining =
                new Retaining(
                        relayDb,
                        config.plans(),
                        partitions,
                        ids,
                        listeners,
                        new ExpiryLog(),
                        clock,
                        host);
        closings.push(retaining::leave);
        loop("retention", Duration.ofSeconds(1), retaining);

        var audit = new Audit(relayDb, clock, ids.next());
        closings.push(audit::leave);
        loop("audit", Duration.ofSeconds(1), audit);

        var replaying =
                new Replaying(
                        relayDb,
                        routing,
                        workspace -> limits.apply(workspace).retention(),
                        ids,
                        clock);
        closings.push(replaying::leave);
        var replays = loop("replays", Duration.ofMillis(500), replaying);

        // Of an external database's disk nothing is known here.
        DoubleSupplier measured = config.database().isPresent() ? () -> 1 : directory::freeShare;
        var space = new FreeSpace(freeShare.orElse(measured));
        loop("free space", Duration.ofSeconds(2), space);

        var router = new Router();
        var access = new Access(db, config.plans(), clock);
        access.addTo(router);
        PlanRoutes.addTo(router, config.plans());
        OpenApiRoutes.addTo(router);
        new StatusRoutes(
                        db,
                        () -> !space.isTight(),
                        node::mayStart,
                        () -> isStopping,
                        clock,
                        version)
                .addTo(router);
        new SourceRoutes(db, access, sources, config.plans(), routing, ids, random, clock)
                .addTo(router);
        new TrashRoutes(db, access, sources, config.plans(), routing, clock).addTo(router);
        new DestinationRoutes(db, access, destinations, config.addresses(), routing, ids, clock)
                .addTo(router);
        new ConnectionRoutes(db, access, routing, ids, clock).addTo(router);
        new SourceConnections(db, access).addTo(router);
        var rehearsal = new Rehearsal(config.headerPrefix(), clock);
        new PreviewRoutes(db, access, config.plans(), routing, rehearsal, ids, clock).addTo(router);
        new EventRoutes(db, access, config.plans(), routing, dispatcher, clock).addTo(router);
        new DeadLetterRoutes(db, access, config.plans(), dispatcher, clock).addTo(router);
        new ResendRoutes(db, access, config.plans(), ids, clock).addTo(router);
        new BulkRoutes(db, access, config.plans(), replays::wake, ids, clock).addTo(router);
        new ReplayRoutes(db, access, clock).addTo(router);
        router.mount(
                Ingest.PATH,
                new Ingest(
                        routing,
                        dispatcher.intake(),
                        journal,
                        space,
                        budget,
                        quota,
                        ids,
                        clock,
                        config.baseUrl(),
                        config.headerPrefix()));
        routes = router.routes();
        listen(config, router, ids);
        closings.push(wire::close); // from here on no death counts
        closings.push(() -> announceStop(config.stopDelay())); // first of all
        made.ifPresent(note::show);
    }

    /// Gives balancers time to see it, and to send no more.
    private void announceStop(Duration delay) throws InterruptedException {
        isStopping = true;
        var _ = new CountDownLatch(1).await(delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void startSender(Runnable sender) {
        Thread.ofVirtual().name("send").start(sender);
    }

    private void listen(Config config, Router router, Uuid7 ids) {
        var settings = new HttpServer.Settings(config.host(), config.port(), REQUESTS_END);
        try {
            port = closeLast(HttpServer.start(settings, router, ids)).port();
        } catch (IOException e) {
            throw new StartRefused(
                    "Cannot listen on "
                            + config.host()
                            + ":"
                            + config.port()
                            + ": "
                            + cause(e)
                            + ". Free the port, or choose another with SLUICE_PORT.");
        }
        log.atInfo()
                .addKeyValue("host", config.host())
                .addKeyValue("port", port)
                .log("server.started");
    }

    private static String cause(IOException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return String.valueOf(cause.getMessage());
    }

    private Database embedded(DataDirectory directory) {
        var postgres = closeLast(EmbeddedPostgres.start(directory.postgres(), Map.of()));
        return new Database(
                postgres.host(),
                postgres.port(),
                postgres.database(),
                postgres.user(),
                postgres.password(),
                "");
    }

    private static void migrate(Database database) {
        try {
            Migrations.run(database);
        } catch (DbException e) {
            throw new StartRefused(
                    "The database "
                            + database.name()
                            + " at "
                            + database.host()
                            + ":"
                            + database.port()
                            + " cannot be used: "
                            + e.getMessage());
        }
    }

    private static Sealer sealer(Config config, DataDirectory directory, RandomText random)
            throws IOException {
        var key =
                config.masterKey().isPresent()
                        ? config.masterKey().get()
                        : directory.masterKey(random);
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(key.reveal());
        } catch (IllegalArgumentException e) {
            throw new StartRefused(
                    "The file master.key in the data directory is damaged. Restore it from a"
                            + " backup.");
        }
        return new Sealer(bytes, random);
    }

    private static void checkMasterKey(Db db, Sealer sealer) {
        try {
            SealingCanary.check(db, sealer);
        } catch (Sealer.WrongKey e) {
            throw new StartRefused(
                    "The database was sealed under another master key. Start with the"
                            + " SLUICE_MASTER_KEY, or the file master.key, that it was made with.");
        }
    }

    private Loop loop(String name, Duration pause, Loop.Step step) {
        return closeLast(Loop.start(name, pause, step));
    }

    /// Closed before everything that was opened earlier.
    private <T extends AutoCloseable> T closeLast(T opened) {
        closings.push(opened::close);
        return opened;
    }

    int port() {
        return port;
    }

    /// What it answers, as `METHOD pattern`; ingest is beside them.
    List<String> routes() {
        return routes;
    }

    /// Stops listening first and the database last, with what is under way finished or put back in
    /// between.
    @Override
    public void close() {
        while (!closings.isEmpty()) {
            try {
                closings.pop().close();
            } catch (Exception e) {
                log.atWarn().setCause(e).log("stop.failed");
            }
        }
    }
}
