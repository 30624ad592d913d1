package dev.sluice.faults;

import static dev.sluice.bench.platform.UncheckedCalls.uncheckedRun;

import dev.sluice.bench.load.LoadPattern;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.LoadResult;
import dev.sluice.bench.platform.TextResource;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayApi.BenchSource;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.sink.SinkProcess;
import dev.sluice.faults.cluster.RelayCluster;
import dev.sluice.faults.cluster.StandalonePostgres;
import dev.sluice.faults.wire.LoadBalancer;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/// The relays, sinks and load generators for a fault.
///
/// All relays use one PostgreSQL server. Each source has one to three connections. One sink
/// receives the deliveries made on each source's first connection, another those made on its
/// second, and another those made on its third. Each relay has its own load generator; if there is
/// a load balancer, a single generator sends to it instead.
final class FaultTestbed implements AutoCloseable {

    static final int MAX_CONNECTIONS_PER_SOURCE = 3;
    static final int MAX_IN_FLIGHT = 16;

    private static final int GENERATOR_CONNECTIONS = 64;

    private final TestbedSpec spec;
    private final FaultOptions options;
    private final RelayCluster cluster;
    private final List<SinkProcess> sinks = new ArrayList<>();
    private final List<BenchSource> sources = new ArrayList<>();
    private final List<LoadProcess> loads = new ArrayList<>();
    private final List<LoadResult> results = new ArrayList<>();
    private long allowedDuplicates;
    private long leftWaiting;
    private Optional<BenchSource> probe = Optional.empty();
    private Optional<LoadBalancer> balancer = Optional.empty();

    private FaultTestbed(TestbedSpec spec, FaultOptions options, RelayCluster cluster) {
        this.spec = spec;
        this.options = options;
        this.cluster = cluster;
    }

    /// Opens a testbed in which everything is running except the load.
    static FaultTestbed open(TestbedSpec spec, FaultOptions options) {
        var cluster =
                RelayCluster.startDatabase(options.launcher(), options.keep(), spec.requirements());
        var testbed = new FaultTestbed(spec, options, cluster);
        try {
            while (cluster.relays().size() < spec.nodes()) {
                testbed.addRelay();
            }
            testbed.createSources();
            return testbed;
        } catch (RuntimeException e) {
            cluster.relays().forEach(relay -> System.err.println(relay.logTail()));
            testbed.close();
            throw e;
        }
    }

    /// Starts another relay. A relay behind a proxy logs every attempt.
    void addRelay() {
        var settings = new HashMap<String, String>();
        if (spec.hasProxies()) {
            String logback = TextResource.read(FaultTestbed.class, "attempt-log.xml");
            var file = cluster.scratchFile("logback.xml");
            uncheckedRun(() -> Files.writeString(file, logback));
            settings.put("JAVA_OPTS", "-Dlogback.configurationFile=" + file);
        }
        cluster.addRelay(spec.hasProxies(), settings);
    }

    private void createSources() {
        for (int sink = 0; sink < MAX_CONNECTIONS_PER_SOURCE; sink++) {
            sinks.add(SinkProcess.start(spec.sinks(), Optional.of(received(sink))));
        }
        var api = cluster.node(0).api();
        for (int place = 0; place < options.sources(); place++) {
            var source = api.createSource("source " + place);
            sources.add(source);
            for (int sink = 0; sink < connectionCount(place); sink++) {
                String destination =
                        api.createDestination(
                                "destination %d of source %d".formatted(sink, place),
                                sinks.get(sink).url(),
                                MAX_IN_FLIGHT,
                                spec.retrySeconds());
                api.connect(source, destination, Map.of());
            }
        }
        probe = Optional.of(api.createSource("probe"));
        if (spec.hasBalancer()) {
            balancer =
                    Optional.of(
                            LoadBalancer.withHealthChecks(
                                    cluster.relays().stream()
                                            .map(relay -> relay.api().base().getPort())
                                            .toList()));
        }
        Wait.pause(Duration.ofSeconds(2)); // by then, every node has read the configuration
    }

    /// Returns how many connections the source at this position has.
    static int connectionCount(int place) {
        return 1 + place % MAX_CONNECTIONS_PER_SOURCE;
    }

    /// Starts the load, and waits until the calm period before the fault has passed. The
    /// generators' results leave out this period, because the relays' JIT compilers are still busy.
    void startLoad() {
        int senders = spec.hasBalancer() ? 1 : spec.nodes();
        for (int sender = 0; sender < senders; sender++) {
            loads.add(LoadProcess.start(plan(sender, senders)));
        }
        loads.forEach(LoadProcess::awaitMeasuring);
    }

    private LoadPlan plan(int sender, int senders) {
        URI base =
                balancer.map(LoadBalancer::base).orElseGet(() -> cluster.node(sender).api().base());
        var pattern = new LoadPattern.ConstantRate(Math.max(1, options.rate() / senders));
        return LoadPlan.of(pattern, GENERATOR_CONNECTIONS, ingests(base))
                .sized(spec.bodies())
                .lasting(Duration.ofSeconds(options.calmSeconds()), LoadPlan.UNTIL_FINISHED)
                .recorded(sent(sender));
    }

    /// Returns the ingest URLs of all sources, at the relay or load balancer with this base URL.
    List<URI> ingests(URI base) {
        return sources.stream().map(source -> base.resolve(source.ingest().getPath())).toList();
    }

    /// Ends the load. Returns after the last responses have arrived.
    void endLoad() {
        loads.forEach(LoadProcess::finish);
        for (LoadProcess load : loads) {
            load.awaitMeasured();
            results.add(load.result());
        }
    }

    TestbedSpec spec() {
        return spec;
    }

    FaultOptions options() {
        return options;
    }

    RelayCluster cluster() {
        return cluster;
    }

    /// Returns a relay by its position, counted from 0.
    RelayProcess node(int place) {
        return cluster.node(place);
    }

    StandalonePostgres postgres() {
        return cluster.postgres();
    }

    SinkProcess sink(int place) {
        return sinks.get(place);
    }

    /// Returns the generators' final results, in the order of the relays that they send to.
    List<LoadResult> results() {
        return results;
    }

    /// Returns the path of the ledger kept by the generator that sends to this relay.
    Path sent(int sender) {
        return cluster.scratchFile("sent-" + sender);
    }

    /// Returns the path of a sink's ledger. Sink 0 receives the deliveries on each source's first
    /// connection, sink 1 those on the second, and sink 2 those on the third.
    Path received(int sink) {
        return cluster.scratchFile("received-" + sink);
    }

    TestbedLedgers ledgers() {
        return ledgers(loads.size());
    }

    /// @param senders the number of generators that have sent events
    TestbedLedgers ledgers(int senders) {
        return TestbedLedgers.read(
                IntStream.range(0, senders).mapToObj(this::sent).toList(),
                IntStream.range(0, MAX_CONNECTIONS_PER_SOURCE).mapToObj(this::received).toList());
    }

    /// Sends an event to the relay, and returns whether the relay stores it. The event's source has
    /// no connections, so the event is not delivered.
    boolean accepts(RelayProcess relay) {
        return relay.api().accepts(relay.api().sourceHere(probe.orElseThrow()));
    }

    TestbedQueries queries() {
        return new TestbedQueries(cluster.postgres());
    }

    OwnedWorkQueries ownedWork(RelayProcess relay) {
        return new OwnedWorkQueries(queries(), relay.epoch());
    }

    /// Allows this many more deliveries to arrive twice.
    void allowDuplicates(long more) {
        allowedDuplicates += more;
    }

    long allowedDuplicates() {
        return allowedDuplicates;
    }

    /// Declares that the fault leaves this many deliveries waiting at the end.
    void leaveWaiting(long deliveries) {
        leftWaiting = deliveries;
    }

    long leftWaiting() {
        return leftWaiting;
    }

    /// Returns how many lines in all the relays' logs contain this text.
    long countLogLines(String text) {
        return cluster.relays().stream().mapToLong(relay -> relay.countLogLines(text)).sum();
    }

    /// Returns the number of requests that all sinks together have received so far.
    long received() {
        return sinks.stream().mapToLong(sink -> sink.count().requests()).sum();
    }

    /// Returns how many of the load's requests failed.
    long failures() {
        return results.stream().mapToLong(LoadResult::failures).sum();
    }

    void remarkFailures(Criteria criteria) {
        results.stream()
                .filter(result -> result.failures() > 0)
                .map(LoadResult::describeFailures)
                .forEach(criteria::remark);
    }

    @Override
    public void close() {
        loads.forEach(LoadProcess::close);
        balancer.ifPresent(LoadBalancer::close);
        cluster.close();
        sinks.forEach(SinkProcess::close);
    }
}
