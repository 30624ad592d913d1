package dev.sluice.bench.fault;

import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.Pace;
import dev.sluice.bench.load.Plan;
import dev.sluice.bench.load.Result;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.Api.Source;
import dev.sluice.bench.relay.Nodes;
import dev.sluice.bench.relay.OwnPostgres;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.sink.SinkProcess;
import dev.sluice.bench.wire.Balancer;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// What a fault happens on: relays with one PostgreSQL, sources with one to three connections each,
/// a sink for the first connection of each source, one for the second and one for the third, and a
/// generator for each relay.
final class Stage implements AutoCloseable {

    static final int MOST_CONNECTIONS = 3;
    static final int IN_FLIGHT = 16;

    /// 200 B to 64 KiB.
    private static final int SMALLEST = 200;

    private static final int LARGEST = 64 * 1024;
    private static final int SENDERS = 64;
    private static final Duration LONGEST = Duration.ofHours(4);

    private final Scene scene;
    private final Dose dose;
    private final Nodes nodes;
    private final List<SinkProcess> sinks = new ArrayList<>();
    private final List<Source> sources = new ArrayList<>();
    private final List<LoadProcess> loads = new ArrayList<>();
    private final List<Result> results = new ArrayList<>();
    private Optional<Source> probe = Optional.empty();
    private Optional<Balancer> balancer = Optional.empty();

    private Stage(Scene scene, Dose dose, Nodes nodes) {
        this.scene = scene;
        this.dose = dose;
        this.nodes = nodes;
    }

    /// With everything running but the load.
    static Stage open(Scene scene, Dose dose) {
        var nodes = Nodes.without(dose.launcher(), dose.keep(), scene.needs());
        var stage = new Stage(scene, dose, nodes);
        try {
            var settings =
                    scene.isWired()
                            ? AttemptLog.settings(nodes.write("logback.xml", AttemptLog.LOGBACK))
                            : Map.<String, String>of();
            for (int number = 0; number < scene.nodes(); number++) {
                nodes.add(scene.isWired(), settings);
            }
            stage.furnish();
            return stage;
        } catch (RuntimeException e) {
            nodes.all().forEach(relay -> System.err.println(relay.lastWords()));
            stage.close();
            throw e;
        }
    }

    private void furnish() {
        for (int sink = 0; sink < MOST_CONNECTIONS; sink++) {
            sinks.add(SinkProcess.start(scene.sinks(), Optional.of(received(sink))));
        }
        var api = nodes.node(0).api();
        for (int place = 0; place < dose.sources(); place++) {
            var source = api.source("source " + place);
            sources.add(source);
            for (int sink = 0; sink < connections(place); sink++) {
                String destination =
                        api.destination(
                                "destination %d of source %d".formatted(sink, place),
                                sinks.get(sink).url(),
                                Map.of(
                                        "max_in_flight",
                                        IN_FLIGHT,
                                        "retry_policy",
                                        Map.of("intervals_seconds", scene.retries())));
                api.connect(source, destination, Map.of());
            }
        }
        probe = Optional.of(api.source("probe"));
        if (scene.isBalanced()) {
            balancer =
                    Optional.of(
                            Balancer.asking(
                                    nodes.all().stream()
                                            .map(relay -> relay.api().base().getPort())
                                            .toList()));
        }
        Wait.pause(Duration.ofSeconds(2)); // every node learns of them
    }

    /// Of the source at this place.
    static int connections(int place) {
        return 1 + place % MOST_CONNECTIONS;
    }

    /// Returns when the load has run for the calm before the harm, which no result counts: the
    /// relays' JIT compilers are at work.
    void begin() {
        int senders = scene.isBalanced() ? 1 : scene.nodes();
        for (int sender = 0; sender < senders; sender++) {
            loads.add(LoadProcess.start(plan(sender, senders)));
        }
        loads.forEach(LoadProcess::awaitMeasuring);
    }

    private Plan plan(int sender, int senders) {
        URI base = balancer.map(Balancer::base).orElseGet(() -> nodes.node(sender).api().base());
        return new Plan(
                sources.stream().map(source -> base.resolve(source.ingest().getPath())).toList(),
                new Pace.PerSecond(Math.max(1, dose.rate() / senders)),
                SENDERS,
                SMALLEST,
                LARGEST,
                Duration.ofSeconds(dose.calm()),
                LONGEST,
                Optional.empty(),
                Optional.of(sent(sender)));
    }

    /// Ends the load; returns when the last answers have come.
    void end() {
        loads.forEach(LoadProcess::finish);
        for (LoadProcess load : loads) {
            load.awaitMeasured();
            results.add(load.result());
        }
    }

    Scene scene() {
        return scene;
    }

    Dose dose() {
        return dose;
    }

    Nodes nodes() {
        return nodes;
    }

    /// Counted from 0.
    Relay node(int place) {
        return nodes.node(place);
    }

    OwnPostgres postgres() {
        return nodes.postgres();
    }

    SinkProcess sink(int place) {
        return sinks.get(place);
    }

    /// What each generator says in the end; that of a relay has the relay's place.
    List<Result> results() {
        return results;
    }

    List<Source> sources() {
        return sources;
    }

    /// The ledger of the sender to that relay.
    Path sent(int sender) {
        return nodes.scratch("sent-" + sender);
    }

    /// The ledger of the receiver of each source's first, second or third connection.
    Path received(int sink) {
        return nodes.scratch("received-" + sink);
    }

    Books books() {
        var sent = new ArrayList<Path>();
        for (int sender = 0; sender < loads.size(); sender++) {
            sent.add(sent(sender));
        }
        var received = new ArrayList<Path>();
        for (int sink = 0; sink < MOST_CONNECTIONS; sink++) {
            received.add(received(sink));
        }
        return Books.read(sent, received);
    }

    /// Whether it stores an event now; one that goes nowhere is stored.
    boolean accepts(Relay relay) {
        return relay.api().accepts(relay.api().here(probe.orElseThrow()));
    }

    static void pause(Duration duration) {
        Wait.pause(duration);
    }

    /// Seconds until it is so; the limit when it was not by then.
    static double secondsUntil(Duration limit, BooleanSupplier condition) {
        long from = System.nanoTime();
        Wait.until(limit, condition);
        return (System.nanoTime() - from) / 1e9;
    }

    @Override
    public void close() {
        loads.forEach(LoadProcess::close);
        balancer.ifPresent(Balancer::close);
        nodes.close();
        sinks.forEach(SinkProcess::close);
    }
}
