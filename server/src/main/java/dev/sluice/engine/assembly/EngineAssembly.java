package dev.sluice.engine.assembly;

import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.account.plan.Plan;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.HealthProblem;
import dev.sluice.engine.InFlightAttempts;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.JsonPoster;
import dev.sluice.engine.RelayGauges;
import dev.sluice.engine.RelayMeters;
import dev.sluice.engine.accept.ChallengeResponder;
import dev.sluice.engine.accept.IngestEndpoint;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.commit.ResultListener;
import dev.sluice.engine.ledger.CommitLogCompactor;
import dev.sluice.engine.ledger.LedgerFolder;
import dev.sluice.engine.node.InFlightRecovery;
import dev.sluice.engine.node.LongTransactionMonitor;
import dev.sluice.engine.node.Node;
import dev.sluice.engine.send.DispatchWakes;
import dev.sluice.engine.send.EventTracer;
import dev.sluice.engine.send.HttpSender;
import dev.sluice.gateway.SluiceHeaders;
import dev.sluice.gateway.assembly.GatewayAssembly;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.routing.ExpiryPolicy;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.loop.Wake;
import dev.sluice.platform.meter.WorkspaceGauge;
import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Cidr;

import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/// Builds and starts the engine, which accepts events, stores them and delivers them.
///
/// The last stage of the pipeline starts first, so that deliveries already work when the first
/// event is accepted. Shutdown runs in the opposite order: ingest stops first, then the attempts in
/// flight end, and finally the node gives up its lease.
public final class EngineAssembly {

    /// The maximum number of connections to one address for requests that are not deliveries.
    private static final int MAX_OWN_CONNECTIONS = 16;

    private final Foundation base;
    private final AccountAssembly account;
    private final ConfigurationCache configuration;
    private final EngineSettings settings;
    private final Db db;

    private final PartitionStore partitions;
    private final InFlightRecorder inFlightRecorder;
    private final Node node;
    private final RelayMeters meters = RelayMeters.create();
    private final EventTracer tracer;
    private final IngestAssembly ingest;
    private final DeliveryAssembly delivery;
    private final StoreListener listeners;
    private final IngestEndpoint endpoint;
    private final DispatchWakes wakes = DispatchWakes.create();

    private EngineAssembly(
            Foundation base,
            AccountAssembly account,
            GatewayAssembly gateway,
            EngineSettings settings) {
        this.base = base;
        tracer = new EventTracer(base.spans(), base.clock());
        this.account = account;
        this.configuration = gateway.routing();
        this.settings = settings;
        this.db = base.pools().relay();
        var clock = base.clock();

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
        delivery =
                new DeliveryAssembly(
                        base,
                        configuration,
                        settings,
                        meters,
                        node,
                        new DeliveryAssembly.DeliveryWakes(wakes, gateway.configurationChanged()),
                        support());
        delivery.startNode();
        listeners =
                new StoreListener(
                        delivery.dispatcher(),
                        delivery.laneWaker(),
                        ingest.quota(),
                        meters,
                        base.activity(),
                        clock);
        endpoint = ingest.endpoint(delivery.dispatcher().admission(), tracer, hopHeader());
    }

    /// Registers this node, then starts delivering events and storing the events that ingest
    /// accepts. Ingest itself begins when [#addTo] is called. The takeover of unfinished work from
    /// the previous process on this data directory runs in parallel.
    public static EngineAssembly start(
            Foundation base,
            AccountAssembly account,
            GatewayAssembly gateway,
            EngineSettings settings) {
        var floor = new EngineAssembly(base, account, gateway, settings);
        floor.delivery.start(floor.listeners, floor.ingest.quota()::returnUnused);
        floor.ingest.start(floor.listeners);
        return floor;
    }

    /// Registers this node. [DeliveryAssembly#startNode] starts its heartbeat.
    private Node join() {
        var joined = Node.join(base.pools().node(), settings.node().home());
        base.shutdown().first("give up the node lease", joined::leave);
        return joined;
    }

    private DeliveryAssembly.AttemptSupport support() {
        return new DeliveryAssembly.AttemptSupport(
                ExpiryPolicy.byPlan(configuration, account.plans(), base.settledClock()),
                inFlightRecorder,
                tracer);
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
                        List.of(
                                partitionChore(),
                                delivery.failureLogChore(),
                                ingest.diskSpaceChore()))
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

    private Chore partitionChore() {
        return Chore.of("partitions", Duration.ofHours(1), () -> partitions.makeAhead(base.now()));
    }

    private Plan.PlanLimits limits(WorkspaceId workspace) {
        return account.plans().byNameOrLast(configuration.plan(workspace)).limits();
    }

    /// Starts accepting events.
    public void addTo(Router router) {
        router.mount(
                IngestEndpoint.PATH,
                request -> {
                    base.activity().mark();
                    return endpoint.answer(request);
                });
    }

    /// Returns the endpoint that accepts events.
    public IngestEndpoint endpoint() {
        return endpoint;
    }

    /// Returns the partitions of the tables of events and deliveries.
    public PartitionStore partitions() {
        return partitions;
    }

    /// Returns the listener to call with the results of deliveries that end without an attempt.
    public ResultListener resultListener() {
        return listeners;
    }

    /// Returns the wake of the loop that reads waiting deliveries. Call it after deliveries were
    /// added to a lane.
    public Wake backlogWake() {
        return wakes.backlog();
    }

    /// Returns the prefix of the headers that Sluice adds to deliveries.
    public String headerPrefix() {
        return settings.headerPrefix();
    }

    /// Returns the server's public address.
    public String baseUrl() {
        return settings.baseUrl();
    }

    /// Returns a view of the attempts that this node has in flight.
    public InFlightAttempts inFlightAttempts() {
        return delivery.dispatcher();
    }

    /// Returns a new sender for requests that are not deliveries. The sender may connect to the
    /// same addresses as deliveries, but has its own connections.
    ///
    /// @param use the name of the sender in the shutdown log
    public HttpSender ownSender(String use) {
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
                dispatcher::pacedDestinations,
                dispatcher::bytes,
                ingest::refused);
    }

    /// Returns what each workspace holds of the resources that this node shares between workspaces.
    public List<WorkspaceGauge> workspaceGauges() {
        return Stream.concat(
                        Stream.of(endpoint.bodyGauge()),
                        delivery.dispatcher().workspaceGauges().stream())
                .toList();
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
