package dev.sluice.relay.assembly;

import dev.sluice.account.access.Api;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.http.Router;
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
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.db.Db;
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
import dev.sluice.relay.compression.DictionaryStore;
import dev.sluice.relay.compression.ZstdPayloadDecoder;
import dev.sluice.relay.deadletters.DismissalRoutes;
import dev.sluice.relay.deadletters.DismissalStore;
import dev.sluice.relay.erasure.WorkspaceEraser;
import dev.sluice.relay.inflight.InFlightRecovery;
import dev.sluice.relay.ingest.IngestEndpoint;
import dev.sluice.relay.ingest.QuotaStore;
import dev.sluice.relay.node.Node;
import dev.sluice.relay.node.TakeoverLoop;
import dev.sluice.relay.preview.PreviewRoutes;
import dev.sluice.relay.preview.RoutePreview;
import dev.sluice.relay.preview.SampleEventQueries;
import dev.sluice.relay.preview.SentRequestRoutes;
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
import dev.sluice.relay.store.ErasureStore;
import dev.sluice.relay.store.PartitionStore;
import dev.sluice.relay.trace.EventTracer;
import dev.sluice.relay.trial.TestDeliveryRoutes;
import dev.sluice.relay.trial.TestEventRoutes;
import dev.sluice.relay.trial.VerificationTrialRoutes;
import dev.sluice.relay.upkeep.LongTransactionMonitor;
import dev.sluice.relay.usage.CommitLogCompactor;
import dev.sluice.relay.usage.LedgerFolder;
import dev.sluice.relay.usage.LedgerStore;
import dev.sluice.relay.verify.ChallengeResponder;

import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/// Builds and starts the relay layer, which accepts events, stores them and delivers them.
///
/// The last stage of the pipeline starts first, so that deliveries already work when the first
/// event is accepted. Shutdown runs in the opposite order: ingest stops first, then the attempts in
/// flight end, and finally the node gives up its lease.
public final class RelayAssembly {

    /// The time limit for reading a dictionary from the database.
    private static final Duration DICTIONARY_TIMEOUT = Duration.ofSeconds(5);

    /// The maximum number of connections to one address for requests that are not deliveries.
    private static final int MAX_OWN_CONNECTIONS = 16;

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
    private final RelayMeters meters = RelayMeters.create();
    private final PayloadDecoder payloadDecoder;
    private final EventTracer tracer;
    private final IngestAssembly ingest;
    private final DeliveryAssembly delivery;
    private final RelayStoreListener listeners;
    private final ReplayWorker replayWorker;
    private final HttpSender testSender;
    private volatile Runnable wakeReplays = () -> {};

    /// Does nothing before the backlog exists; its first round looks for due lanes anyway.
    private volatile Runnable wakeBacklog = () -> {};

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

        ingest = new IngestAssembly(base, configuration, settings, meters, node, this::limits);
        delivery = new DeliveryAssembly(base, configuration, settings, meters, node, support());
        testSender = ownSender("connections of test deliveries", settings.addresses());
        listeners =
                new RelayStoreListener(
                        delivery.dispatcher(),
                        delivery.laneWaker(),
                        ingest.quota(),
                        meters,
                        base.activity(),
                        clock);
        replayWorker =
                new ReplayWorker(
                        db, configuration, this::retention, base.ids(), clock, base.settledClock());
        wakeBacklog = delivery::wakeBacklog;
        replayWorker.onLanesWoken(delivery::wakeBacklog);
    }

    /// Registers this node, then starts delivering events and storing the events that ingest
    /// accepts. Ingest itself begins when [#addTo] is called. The takeover of unfinished work from
    /// the previous process on this data directory runs in parallel.
    public static RelayAssembly start(
            Foundation base,
            AccountAssembly account,
            GatewayAssembly gateway,
            RelaySettings settings) {
        var floor = new RelayAssembly(base, account, gateway, settings);
        floor.delivery.start(floor.listeners, floor.ingest.quota()::returnUnused);
        floor.ingest.start(floor.listeners);
        return floor;
    }

    /// Registers this node and starts its heartbeat. During shutdown, the heartbeat continues until
    /// each delivery that the node owns has been finished or put back. The first takeover begins
    /// immediately, in parallel with the rest of startup.
    private Node join() {
        var pool = base.pools().node();
        var shutdown = base.shutdown();
        var joined = Node.join(pool, settings.node().home());
        shutdown.first("give up the node lease", joined::leave);
        shutdown.start(new Chore("heartbeat", Node.HEARTBEAT_INTERVAL, joined).steady());
        var takeover = new TakeoverLoop(pool, joined, base.clock());
        takeover.onLanesWoken(() -> wakeBacklog.run());
        shutdown.start(new Chore("takeover", Node.HEARTBEAT_INTERVAL, takeover).steady());
        return joined;
    }

    private DeliveryAssembly.AttemptSupport support() {
        return new DeliveryAssembly.AttemptSupport(
                ExpiryPolicy.byPlan(configuration, account.plans(), base.settledClock()),
                inFlightRecorder,
                tracer,
                payloadDecoder);
    }

    /// Returns the background tasks, in the order in which they start.
    public List<Chore> chores() {
        return Stream.of(
                        delivery.laneChores(),
                        usageChores(),
                        ingest.countingChores(),
                        delivery.dispatchChores(),
                        List.of(longTransactionChore()),
                        delivery.checkingChores(),
                        historyChores(),
                        List.of(delivery.failureLogChore()),
                        ingest.storageChores(payloadDecoder))
                .flatMap(List::stream)
                .toList();
    }

    private List<Chore> usageChores() {
        return List.of(
                new Chore(
                        "usage folding",
                        Duration.ofSeconds(1),
                        new LedgerFolder(db, System::nanoTime)),
                new Chore(
                        "commit log",
                        CommitLogCompactor.ROUND_INTERVAL,
                        new CommitLogCompactor(
                                db, account.plans().longestRetention(), base.settledClock())));
    }

    private Chore longTransactionChore() {
        return new Chore(
                "long transactions", Duration.ofSeconds(10), new LongTransactionMonitor(db));
    }

    /// Returns the chores that work on stored events: partitions, retention, replays and erasure.
    private List<Chore> historyChores() {
        var retentionLoop = retentionLoop();
        return List.of(
                Chore.of("partitions", Duration.ofHours(1), this::makePartitions),
                new Chore("retention", Duration.ofSeconds(1), retentionLoop)
                        .startingAfter(Duration.ofSeconds(3))
                        .endingWith(retentionLoop::releaseLease),
                new Chore("replays", Duration.ofMillis(500), replayWorker)
                        .wokenBy(wake -> wakeReplays = wake)
                        .endingWith(replayWorker::releaseLeases),
                new Chore("erasure", Duration.ofMinutes(1), workspaceEraser()));
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

    /// Sets the listener that is called with deliveries that will expire soon.
    public void onExpiring(ExpiryListener listener) {
        expiryListener = listener;
    }

    private Plan.PlanLimits limits(WorkspaceId workspace) {
        return account.plans().byNameOrLast(configuration.plan(workspace)).limits();
    }

    private Retention retention(WorkspaceId workspace) {
        return limits(workspace).retention();
    }

    public void addTo(Api routes, Router router) {
        var api = account.api();
        var db = api.db();
        var plans = account.plans();
        var idempotency = account.idempotency();
        var clock = api.clock();
        var headerRules = CustomHeaderRules.withPrefix(settings.headerPrefix());
        var dryRun = new DryRun(settings.headerPrefix());
        var events = new SampleEventQueries(plans, configuration, payloadDecoder, clock);
        new PreviewRoutes(api, events, configuration, headerRules, dryRun).addTo(routes);
        new SentRequestRoutes(
                        db,
                        plans,
                        replacedDestinations,
                        replacedSources,
                        payloadDecoder,
                        dryRun,
                        clock)
                .addTo(routes);
        new ResendRoutes(api, plans, idempotency, delivery::wakeBacklog).addTo(routes);
        new BulkResendRoutes(
                        api, plans, idempotency, () -> wakeReplays.run(), delivery::wakeBacklog)
                .addTo(routes);
        new DeadLetterResendRoutes(api, plans, idempotency, () -> wakeReplays.run()).addTo(routes);
        new DismissalRoutes(db, plans, clock).addTo(routes);
        new ReplayRoutes(db, () -> wakeReplays.run(), clock).addTo(routes);
        var endpoint = ingest.endpoint(delivery.dispatcher().admission(), tracer, hopHeader());
        router.mount(
                IngestEndpoint.PATH,
                request -> {
                    base.activity().mark();
                    return endpoint.answer(request);
                });
        String baseUrl = settings.baseUrl();
        new TestDeliveryRoutes(api, configuration, events, testSender, dryRun, baseUrl)
                .addTo(routes);
        new TestEventRoutes(db, configuration, endpoint, idempotency, baseUrl, clock).addTo(routes);
        new VerificationTrialRoutes(db, configuration, events, headerRules, baseUrl).addTo(routes);
    }

    /// Returns the decoder of stored event payloads.
    public PayloadDecoder payloadDecoder() {
        return payloadDecoder;
    }

    /// Returns a view of the attempts that this node has in flight.
    public InFlightAttempts inFlightAttempts() {
        return delivery.dispatcher();
    }

    /// Returns a new sender for requests that are not deliveries. The sender may connect to the
    /// same addresses as deliveries, but has its own connections.
    ///
    /// @param use the name of the sender in the shutdown log
    public JsonPoster jsonPoster(String use) {
        return ownSender(use, settings.addresses());
    }

    /// Returns a new sender for requests to a URL that the operator has chosen. The URL's address
    /// may be private.
    public JsonPoster operatorsJsonPoster(String use) {
        return ownSender(
                use, AddressPolicy.allowing(List.of(Cidr.parse("0.0.0.0/0"), Cidr.parse("::/0"))));
    }

    /// Opens a sender with its own connections, so that it does not use up the connections that
    /// deliveries need.
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

    /// Returns the counters and timers that this node has kept since it started.
    public RelayMeters meters() {
        return meters;
    }

    /// Returns gauges that report this node's current state.
    public RelayGauges gauges() {
        var dispatcher = delivery.dispatcher();
        return new RelayGauges(
                ingest::queued,
                delivery::queued,
                () -> delivery.permits() - dispatcher.permitsLeft(),
                delivery::permits,
                dispatcher::bytes,
                ingest::refused);
    }

    /// Returns an object that previews the requests that connections would send for an event.
    public RequestPreview requestPreview() {
        return new RoutePreview(new DryRun(settings.headerPrefix()), base.clock());
    }

    /// Returns the name of the header that counts the relays an event has passed through.
    public String hopHeader() {
        return SluiceHeaders.withPrefix(settings.headerPrefix()).hop();
    }

    /// Returns a predicate that tests whether a verified request is a challenge: a request that
    /// some senders make only to check that the URL is right. A challenge gets a special reply. Its
    /// event is stored, but not delivered.
    public BiPredicate<VerificationConfig, byte[]> challenges() {
        return ChallengeResponder::isChallenge;
    }

    /// Whether the disk has enough free space to accept events.
    public boolean isIngesting() {
        return !ingest.isDiskNearlyFull();
    }

    /// Returns the problems that are currently delaying events or deliveries.
    public List<HealthProblem> problems() {
        return Stream.concat(ingest.problem().stream(), delivery.problems().stream()).toList();
    }

    /// Aborts the test deliveries in flight, so that shutdown does not wait for them.
    public void endTestDeliveries() {
        testSender.close();
    }

    /// Returns this node's current epoch. The node gets a new epoch after other nodes have declared
    /// it dead.
    public long epoch() {
        return node.epoch();
    }

    /// Whether this node's lease is valid, so that it may start attempts.
    public boolean isDelivering() {
        return node.mayStart();
    }

    /// Deletes the file that lists the attempts in flight. Called when a normal shutdown begins.
    /// The next process then does not count the attempts in flight as crashes, even if this process
    /// is killed before the shutdown is complete.
    public void closeInFlightRecorder() throws Exception {
        inFlightRecorder.close();
    }
}
