package dev.sluice.relay.assembly;

import static dev.sluice.relay.HealthProblem.Component.DELIVERY;
import static dev.sluice.relay.HealthProblem.Component.INGEST;

import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.account.audit.AuditLogStore;
import dev.sluice.account.plan.Plan;
import dev.sluice.account.plan.Retention;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.SluiceHeaders;
import dev.sluice.gateway.assembly.GatewayAssembly;
import dev.sluice.gateway.deletion.WorkspaceDeletion;
import dev.sluice.gateway.destination.ReplacedDestinationStore;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.routing.ExpiryPolicy;
import dev.sluice.gateway.source.ReplacedSourceStore;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.http.HttpServer;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Cidr;
import dev.sluice.relay.ExpiryListener;
import dev.sluice.relay.HealthProblem;
import dev.sluice.relay.InFlightAttempts;
import dev.sluice.relay.InFlightRecorder;
import dev.sluice.relay.JsonPoster;
import dev.sluice.relay.PayloadDecoder;
import dev.sluice.relay.RelayGauges;
import dev.sluice.relay.RelayMeters;
import dev.sluice.relay.RequestPreview;
import dev.sluice.relay.circuit.SharedCircuits;
import dev.sluice.relay.compression.DictionaryStore;
import dev.sluice.relay.compression.DictionaryTrainer;
import dev.sluice.relay.compression.PayloadEncoder;
import dev.sluice.relay.compression.ZstdPayloadDecoder;
import dev.sluice.relay.deadletters.DismissalRoutes;
import dev.sluice.relay.deadletters.DismissalStore;
import dev.sluice.relay.dispatch.AttemptRunner;
import dev.sluice.relay.dispatch.DispatchEnvironment;
import dev.sluice.relay.dispatch.Dispatcher;
import dev.sluice.relay.dispatch.HoldPolicy;
import dev.sluice.relay.erasure.WorkspaceEraser;
import dev.sluice.relay.fairness.PermitLimit;
import dev.sluice.relay.inflight.InFlightRecovery;
import dev.sluice.relay.ingest.DiskSpaceMonitor;
import dev.sluice.relay.ingest.InboundCheck;
import dev.sluice.relay.ingest.IngestEndpoint;
import dev.sluice.relay.ingest.IngestLimits;
import dev.sluice.relay.ingest.IngestRateLimiter;
import dev.sluice.relay.ingest.MonthlyQuota;
import dev.sluice.relay.ingest.QuotaStore;
import dev.sluice.relay.journal.Journal;
import dev.sluice.relay.journal.ResultJournal;
import dev.sluice.relay.lanes.Backlog;
import dev.sluice.relay.node.Node;
import dev.sluice.relay.node.TakeoverLoop;
import dev.sluice.relay.preview.PreviewRoutes;
import dev.sluice.relay.preview.RoutePreview;
import dev.sluice.relay.preview.SampleEventQueries;
import dev.sluice.relay.preview.SentRequestRoutes;
import dev.sluice.relay.refusal.RefusalCounter;
import dev.sluice.relay.refusal.RefusalRecorder;
import dev.sluice.relay.replay.BulkResendRoutes;
import dev.sluice.relay.replay.DeadLetterResendRoutes;
import dev.sluice.relay.replay.ReplayRoutes;
import dev.sluice.relay.replay.ReplayStore;
import dev.sluice.relay.replay.ReplayWorker;
import dev.sluice.relay.replay.ResendRoutes;
import dev.sluice.relay.request.DryRun;
import dev.sluice.relay.retention.RetentionLoop;
import dev.sluice.relay.retention.RetentionNoticeStore;
import dev.sluice.relay.send.HttpSender;
import dev.sluice.relay.settle.FailureLog;
import dev.sluice.relay.settle.Settlement;
import dev.sluice.relay.store.ErasureStore;
import dev.sluice.relay.store.Lanes;
import dev.sluice.relay.store.PartitionStore;
import dev.sluice.relay.trace.EventTracer;
import dev.sluice.relay.trace.TracedSender;
import dev.sluice.relay.trial.TestDeliveryRoutes;
import dev.sluice.relay.trial.TestEventRoutes;
import dev.sluice.relay.trial.VerificationTrialRoutes;
import dev.sluice.relay.upkeep.DueWorkMonitor;
import dev.sluice.relay.upkeep.LaneSweeper;
import dev.sluice.relay.upkeep.LaneWaker;
import dev.sluice.relay.upkeep.LeakDetector;
import dev.sluice.relay.upkeep.LongTransactionMonitor;
import dev.sluice.relay.usage.CommitLogCompactor;
import dev.sluice.relay.usage.LedgerFolder;
import dev.sluice.relay.usage.LedgerStore;
import dev.sluice.relay.verify.ChallengeResponder;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiPredicate;
import java.util.random.RandomGenerator;

/// Builds and starts the relay layer, which accepts events, stores them and delivers them.
///
/// The last stage of the pipeline starts first, so that deliveries can be sent before any event is
/// accepted. Shutdown runs in the opposite order: ingest stops first, then attempts in flight end,
/// and finally the node gives up its lease.
public final class RelayAssembly {

    /// The time that shutdown waits for attempts in flight. It is longer than a destination's
    /// default timeout. A delivery whose attempt takes longer is put back into its lane and sent
    /// again later, although the receiver may still be processing the first request.
    private static final Duration ATTEMPTS_TIMEOUT = Duration.ofSeconds(11);

    /// The maximum time that the read of a dictionary may take.
    private static final Duration DICTIONARY_TIMEOUT = Duration.ofSeconds(5);

    /// The maximum time that a request waits until the database has reserved quota tokens.
    private static final Duration QUOTA_TIMEOUT = Duration.ofSeconds(3);

    /// Maximum number of connections to one address for requests that are not deliveries.
    private static final int MAX_OWN_CONNECTIONS = 16;

    private static final Executor SENDER_THREADS =
            sender -> Thread.ofVirtual().name("send").start(sender);

    private final Foundation base;
    private final AccountAssembly account;
    private final ConfigurationCache configuration;
    private final WorkspaceDeletion deletion;
    private final ReplacedDestinationStore replacedDestinations;
    private final ReplacedSourceStore replacedSources;
    private final RelaySettings settings;
    private final Db db;

    private final PartitionStore partitions;
    private final InFlightRecorder inFlightRecorder;
    private final Node node;
    private final int permits =
            PermitLimit.of(Runtime.getRuntime().maxMemory(), HttpServer.maxOpenFiles());
    private final ResultJournal resultJournal;
    private final Journal journal;
    private final SharedCircuits circuits;
    private final Dispatcher dispatcher;
    private final Backlog backlog;
    private final LaneWaker laneWaker;
    private final LaneSweeper laneSweeper;
    private final DiskSpaceMonitor diskSpace;
    private final IngestRateLimiter ingestRateLimiter;
    private final MonthlyQuota quota;
    private final RefusalCounter refusals;
    private final RelayMeters meters = RelayMeters.create();
    private final PayloadDecoder payloadDecoder;
    private final PayloadEncoder payloadEncoder;
    private final EventTracer tracer;
    private final RelayStoreListener listeners;
    private final ReplayWorker replayWorker;
    private final DueWorkMonitor dueWorkMonitor;
    private final FailureLog failureLog;
    private final HttpSender testSender;
    private volatile Runnable wakeReplays = () -> {};
    private volatile ExpiryListener expiryListener = (_, _) -> {};

    private RelayAssembly(
            Foundation base,
            AccountAssembly account,
            GatewayAssembly gateway,
            RelaySettings settings) {
        this.base = base;
        tracer = new EventTracer(base.spans(), base.clock());
        this.account = account;
        this.configuration = gateway.routing();
        this.deletion = gateway.deletion();
        this.replacedDestinations = gateway.replacedDestinations();
        this.replacedSources = gateway.replacedSources();
        this.settings = settings;
        this.db = base.pools().relay();
        var clock = base.clock();
        var delivery = base.pools().delivery();

        payloadDecoder =
                new ZstdPayloadDecoder(
                        base.shutdown()
                                .closing(
                                        "pool dictionaries",
                                        Db.openOnDemand(
                                                base.database(),
                                                "dictionaries",
                                                1,
                                                DICTIONARY_TIMEOUT)));
        payloadEncoder =
                settings.isCompressing()
                        ? PayloadEncoder.on(meters.payloads(), clock)
                        : PayloadEncoder.off(meters.payloads(), clock);
        partitions = new PartitionStore(db);
        partitions.makeAhead(base.now());
        inFlightRecorder =
                base.shutdown()
                        .closing(
                                "in-flight file",
                                InFlightRecovery.recoverAndOpen(
                                        settings.node().inFlightFile(),
                                        settings.node().home(),
                                        db));
        node = join();

        resultJournal =
                new ResultJournal(
                        new DedicatedConnection(base.database(), "results", meters.resultCommits()),
                        new PartitionStore(delivery),
                        node::epoch,
                        base.ids(),
                        clock);
        journal =
                new Journal(
                        new DedicatedConnection(base.database(), "journal", meters.eventCommits()),
                        new PartitionStore(delivery),
                        node::epoch,
                        base.ids(),
                        clock);

        failureLog = new FailureLog(clock);
        circuits = SharedCircuits.open(delivery, node, settings.cooldowns(), clock);
        var attemptRunner = attemptRunner();
        testSender = ownSender("connections of test deliveries", settings.addresses());
        var environment =
                new DispatchEnvironment(configuration, node, resultJournal, circuits, clock);
        dispatcher = new Dispatcher(environment, attemptRunner, SENDER_THREADS, permits);
        backlog =
                new Backlog(
                        environment,
                        Lanes.of(delivery, payloadDecoder),
                        dispatcher,
                        attemptRunner,
                        System::nanoTime);
        var holdPolicy = new HoldPolicy(circuits);
        laneWaker = new LaneWaker(db, configuration, holdPolicy);
        laneSweeper = new LaneSweeper(db, configuration, holdPolicy, clock);

        dueWorkMonitor =
                new DueWorkMonitor(db, configuration, holdPolicy, backlog, dispatcher, clock);

        diskSpace = new DiskSpaceMonitor(settings.node().freeShare());
        ingestRateLimiter = new IngestRateLimiter(db, this::limits, base.ids().next(), clock);
        quota = new MonthlyQuota(db, this::limits, configuration::source, QUOTA_TIMEOUT, clock);
        refusals = new RefusalCounter(clock);
        listeners =
                new RelayStoreListener(
                        dispatcher, laneWaker, quota, meters, base.activity(), clock);
        replayWorker =
                new ReplayWorker(
                        db, configuration, this::retention, base.ids(), clock, base.settledClock());
    }

    /// Registers this node, and starts to deliver events and to store the events that ingest
    /// accepts. Ingest begins with [#addTo]. The takeover of unfinished work from the previous
    /// process on this data directory runs in parallel.
    public static RelayAssembly start(
            Foundation base,
            AccountAssembly account,
            GatewayAssembly gateway,
            RelaySettings settings) {
        var floor = new RelayAssembly(base, account, gateway, settings);
        floor.startDelivering();
        floor.startStoring();
        return floor;
    }

    /// Registers this node and starts its heartbeat. The heartbeat continues until shutdown has
    /// finished or put back the deliveries that the node owns. The first takeover begins at once,
    /// in parallel with the rest of the start.
    private Node join() {
        var pool = base.pools().node();
        var shutdown = base.shutdown();
        var joined = Node.join(pool, settings.node().home());
        shutdown.first("give up the node lease", joined::leave);
        shutdown.start(new Chore("heartbeat", Node.HEARTBEAT_INTERVAL, joined).steady());
        var takeover = new TakeoverLoop(pool, joined, base.clock());
        shutdown.start(new Chore("takeover", Node.HEARTBEAT_INTERVAL, takeover).steady());
        return joined;
    }

    private AttemptRunner attemptRunner() {
        var clock = base.clock();
        var sender = HttpSender.open(settings.addresses(), clock, settings.headerPrefix(), permits);
        base.shutdown().closing("connections to destinations", sender);
        return new AttemptRunner(
                configuration,
                ExpiryPolicy.byPlan(configuration, account.plans(), base.settledClock()),
                new TracedSender(sender, tracer),
                new Settlement(
                        clock, RandomGenerator.getDefault(), settings.retryJitter(), failureLog),
                circuits,
                inFlightRecorder,
                clock);
    }

    private void startDelivering() {
        var shutdown = base.shutdown();
        node.onFenced(dispatcher::dropAll);
        shutdown.first("give back lanes", backlog::leave);
        shutdown.first("give back quota", quota::returnUnused);
        resultJournal.start(listeners);
        shutdown.first("write circuits", circuits::run);
        shutdown.first("write lane wakes", laneWaker::run);
        shutdown.closing("results", resultJournal);
        shutdown.first("write counted failures", failureLog::flush);
        shutdown.first("dispatcher", () -> dispatcher.stop(ATTEMPTS_TIMEOUT));
        var backlogChore = new Chore("backlog", Duration.ofMillis(200), backlog);
        shutdown.start(
                backlogChore.wokenBy(wake -> {
                    backlog.onWakeNeeded(wake);
                    circuits.onChange(wake);
                }));
        var probeLoop = backlog.probeLoop();
        shutdown.start(
                new Chore("probes", Duration.ofSeconds(1), probeLoop)
                        .wokenBy(probeLoop::onWakeNeeded));
    }

    private void startStoring() {
        base.shutdown().start(journal.overdueChore());
        journal.start(listeners);
        base.shutdown().closing("journal", journal);
    }

    /// Returns the background tasks, in the order in which they start.
    public List<Chore> chores() {
        var rateLimitQueue = dispatcher.rateLimitQueue();
        var quarantine = dispatcher.quarantine();
        var retentionLoop = retentionLoop();
        var refusalRecorder = new RefusalRecorder(refusals, db, base.ids()::next, base.clock());
        var leakDetector = new LeakDetector(db, node, dispatcher, base.clock());
        var dictionaryTrainer =
                new DictionaryTrainer(
                        db,
                        payloadEncoder,
                        payloadDecoder,
                        source -> configuration.source(source).map(Source::workspace),
                        base.clock());
        return List.of(
                new Chore("circuits", Duration.ofSeconds(1), circuits)
                        .idlingAt(Duration.ofSeconds(2))
                        .wokenBy(circuits::onWakeNeeded),
                new Chore("lane wakes", Duration.ofSeconds(1), laneWaker)
                        .withGap(Duration.ofMillis(50))
                        .wokenBy(laneWaker::onWakeNeeded),
                laneSweeper.chore(),
                new Chore(
                        "usage folding",
                        Duration.ofSeconds(1),
                        new LedgerFolder(db, System::nanoTime)),
                new Chore(
                        "commit log",
                        CommitLogCompactor.ROUND_INTERVAL,
                        new CommitLogCompactor(
                                db, account.plans().longestRetention(), base.settledClock())),
                new Chore("ingest rate limits", Duration.ofSeconds(1), ingestRateLimiter),
                new Chore("refusals", RefusalRecorder.INTERVAL, refusalRecorder)
                        .endingWith(refusalRecorder::finish),
                new Chore("quota", Duration.ofSeconds(1), quota).steady(),
                new Chore("rate limits", Duration.ofSeconds(1), rateLimitQueue)
                        .wokenBy(rateLimitQueue::onWakeNeeded),
                new Chore("standings", Duration.ofSeconds(1), dispatcher::updateStandings),
                new Chore("quarantine", Duration.ofMillis(200), quarantine)
                        .wokenBy(quarantine::onWakeNeeded),
                new Chore(
                        "long transactions",
                        Duration.ofSeconds(10),
                        new LongTransactionMonitor(db)),
                new Chore("due work", DueWorkMonitor.INTERVAL, dueWorkMonitor),
                new Chore("leaks", Duration.ofSeconds(60), leakDetector),
                Chore.of("partitions", Duration.ofHours(1), this::makePartitions),
                new Chore("retention", Duration.ofSeconds(1), retentionLoop)
                        .startingAfter(Duration.ofSeconds(3))
                        .endingWith(retentionLoop::releaseLease),
                new Chore("replays", Duration.ofMillis(500), replayWorker)
                        .wokenBy(wake -> wakeReplays = wake)
                        .endingWith(replayWorker::releaseLeases),
                new Chore("erasure", Duration.ofMinutes(1), workspaceEraser()),
                Chore.of("failure log", Duration.ofSeconds(5), failureLog::summarize),
                new Chore("free space", Duration.ofSeconds(2), diskSpace),
                new Chore("dictionaries", DictionaryTrainer.ROUND_INTERVAL, dictionaryTrainer)
                        .wokenBy(payloadEncoder::onWakeNeeded));
    }

    private WorkspaceEraser workspaceEraser() {
        return new WorkspaceEraser(
                db,
                deletion,
                List.of(
                        ErasureStore::eraseEvents,
                        (tx, workspace, _) -> DictionaryStore.deleteOf(tx, workspace),
                        (tx, workspace, limit) ->
                                LedgerStore.deleteSums(tx, workspace.usageKeys(), limit),
                        DismissalStore::deleteOf,
                        ReplayStore::deleteOf,
                        (tx, workspace, _) -> QuotaStore.deleteOf(tx, workspace),
                        (tx, workspace, _) -> RetentionNoticeStore.deleteOf(tx, workspace),
                        (tx, workspace, limit) ->
                                AuditLogStore.deleteOf(tx, workspace.id(), limit)),
                base.settledClock());
    }

    private void makePartitions() {
        partitions.makeAhead(base.now());
    }

    private RetentionLoop retentionLoop() {
        return new RetentionLoop(
                db,
                account.plans(),
                partitions,
                base.ids(),
                listeners,
                (tx, soon) -> expiryListener.expiring(tx, soon),
                base.settledClock());
    }

    /// Sets the listener to be called with deliveries that will expire soon.
    public void onExpiring(ExpiryListener listener) {
        expiryListener = listener;
    }

    private Plan.PlanLimits limits(WorkspaceId workspace) {
        return account.plans().byNameOrLast(configuration.plan(workspace)).limits();
    }

    private Retention retention(WorkspaceId workspace) {
        return limits(workspace).retention();
    }

    public void addTo(Router router) {
        var api = account.api();
        var db = api.db();
        var authenticator = api.authenticator();
        var plans = account.plans();
        var idempotency = account.idempotency();
        var clock = api.clock();
        var headerRules = CustomHeaderRules.withPrefix(settings.headerPrefix());
        var dryRun = new DryRun(settings.headerPrefix());
        var events = new SampleEventQueries(plans, configuration, payloadDecoder, clock);
        new PreviewRoutes(api, events, configuration, headerRules, dryRun).addTo(router);
        new SentRequestRoutes(
                        db,
                        authenticator,
                        plans,
                        replacedDestinations,
                        replacedSources,
                        payloadDecoder,
                        dryRun,
                        clock)
                .addTo(router);
        new ResendRoutes(api, plans, idempotency).addTo(router);
        new BulkResendRoutes(api, plans, idempotency, () -> wakeReplays.run()).addTo(router);
        new DeadLetterResendRoutes(api, plans, idempotency, () -> wakeReplays.run()).addTo(router);
        new DismissalRoutes(db, authenticator, plans, clock).addTo(router);
        new ReplayRoutes(db, authenticator, () -> wakeReplays.run(), clock).addTo(router);
        var ingest = ingest();
        router.mount(
                IngestEndpoint.PATH,
                request -> {
                    base.activity().mark();
                    return ingest.answer(request);
                });
        String baseUrl = settings.baseUrl();
        new TestDeliveryRoutes(api, configuration, events, testSender, dryRun, baseUrl)
                .addTo(router);
        new TestEventRoutes(db, authenticator, configuration, ingest, idempotency, baseUrl, clock)
                .addTo(router);
        new VerificationTrialRoutes(db, authenticator, configuration, events, headerRules, baseUrl)
                .addTo(router);
    }

    private IngestEndpoint ingest() {
        return new IngestEndpoint(
                configuration,
                journal,
                payloadEncoder,
                IngestLimits.of(diskSpace, ingestRateLimiter, quota, dispatcher.admission()),
                new IngestEndpoint.IngestMeters(refusals, meters.ingestDurations(), tracer),
                new InboundCheck(settings.baseUrl(), hopHeader()),
                base.ids(),
                base.clock());
    }

    /// Returns the decoder of stored event payloads.
    public PayloadDecoder payloadDecoder() {
        return payloadDecoder;
    }

    /// Returns the attempts that this node has in flight now.
    public InFlightAttempts inFlightAttempts() {
        return dispatcher;
    }

    /// Returns a new sender for requests that are not deliveries. The sender allows the same
    /// addresses as deliveries do, and has connections of its own.
    ///
    /// @param use the name of the sender in the log of the shutdown
    public JsonPoster jsonPoster(String use) {
        return ownSender(use, settings.addresses());
    }

    /// Returns a new sender for requests to a URL that the operator has chosen. The URL's address
    /// may be private.
    public JsonPoster operatorsJsonPoster(String use) {
        return ownSender(
                use, AddressPolicy.allowing(List.of(Cidr.parse("0.0.0.0/0"), Cidr.parse("::/0"))));
    }

    /// Opens a sender with connections of its own, so that it does not use the connections of
    /// deliveries.
    private HttpSender ownSender(String use, AddressPolicy addresses) {
        return base.shutdown()
                .closing(
                        use,
                        HttpSender.open(
                                addresses,
                                base.clock(),
                                settings.headerPrefix(),
                                MAX_OWN_CONNECTIONS));
    }

    /// Returns the counters and timers of this node since it started.
    public RelayMeters meters() {
        return meters;
    }

    /// Returns the gauges of this node's current state.
    public RelayGauges gauges() {
        return new RelayGauges(
                journal::queued,
                resultJournal::queued,
                () -> permits - dispatcher.permitsLeft(),
                () -> permits,
                dispatcher::bytes,
                refusals::total);
    }

    /// Returns a preview of the requests that connections would send for an event.
    public RequestPreview requestPreview() {
        return new RoutePreview(new DryRun(settings.headerPrefix()), base.clock());
    }

    /// Returns the name of the header that counts relays.
    public String hopHeader() {
        return SluiceHeaders.withPrefix(settings.headerPrefix()).hop();
    }

    /// Returns a test that tells whether a verified request is a challenge: its body only asks
    /// whether the URL is right. Only some senders make such requests; they need an answer, and no
    /// event is stored.
    public BiPredicate<VerificationConfig, byte[]> challenges() {
        return ChallengeResponder::isChallenge;
    }

    /// Whether the disk has enough free space to accept events.
    public boolean isIngesting() {
        return !diskSpace.isNearlyFull();
    }

    /// Returns the problems that delay events or deliveries now.
    public List<HealthProblem> problems() {
        var problems = new ArrayList<HealthProblem>();
        if (journal.isFailing()) {
            problems.add(new HealthProblem(INGEST, "Events cannot be stored: commits fail."));
        }
        if (resultJournal.isFailing()) {
            problems.add(new HealthProblem(DELIVERY, "Results cannot be written: commits fail."));
        }
        if (dueWorkMonitor.isLate()) {
            problems.add(
                    new HealthProblem(
                            DELIVERY, "Deliveries that are due have waited for over 30 seconds."));
        }
        return problems;
    }

    /// Ends the test deliveries in flight, so that a stop does not wait for them.
    public void endTestDeliveries() {
        testSender.close();
    }

    /// Returns this node's current epoch, which is new after other nodes declared it dead.
    public long epoch() {
        return node.epoch();
    }

    /// Whether this node's lease is valid, so that the node may start attempts.
    public boolean isDelivering() {
        return node.mayStart();
    }

    /// Deletes the file that lists the attempts in flight. Without this call after a normal stop,
    /// the next process would count the end of this process as a crash during the attempts that
    /// were still in flight.
    public void closeInFlightRecorder() throws Exception {
        inFlightRecorder.close();
    }
}
