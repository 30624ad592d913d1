package dev.sluice.bench.scenario;

import dev.sluice.bench.load.LoadPattern;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.measure.LatencyTolerance;
import dev.sluice.bench.relay.RelayApi.BenchSource;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkBehaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Measures a healthy destination while the same relay serves two unhealthy neighbours: a dead
/// destination with a long backlog, and a destination that hangs.
///
/// The dead destination refuses connections. Both neighbours are repeatedly resumed and paused
/// together, so that the healthy destination is measured with and without them.
final class NoisyNeighbours {

    private static final LatencyTolerance TOLERANCE = new LatencyTolerance(1.25, 20);
    private static final int MAX_IN_FLIGHT = 32;

    /// A retry interval longer than the whole measurement takes with the default settings, so that
    /// no delivery to the dead destination is exhausted.
    private static final int RETRY_SECONDS = 600;

    private static final int HANGING_RATE = 60;

    private final RelayProcess relay;
    private final LoadSettings load;
    private final int rate;
    private final List<String> unhealthyDestinations = new ArrayList<>();

    NoisyNeighbours(RelayProcess relay, LoadSettings load, int rate) {
        this.relay = relay;
        this.load = load;
        this.rate = rate;
    }

    /// @param hang how long the hanging destination takes to answer
    void measure(int rows, Duration hang, BenchReport report) {
        Path received = relay.scratchFile("received");
        try (var healthy =
                        SinkProcess.start(
                                new SinkBehaviour.ImmediateAnswers(), Optional.of(received));
                var dead = SinkProcess.start(new SinkBehaviour.RefusedConnections());
                var hanging = SinkProcess.start(new SinkBehaviour.DelayedAnswers(hang))) {
            var ingest = createPaused("dead", dead.url()).ingest();
            long waiting = LoadMeasurement.storeBacklog(relay, load, ingest, rows, report);
            var slow = createPaused("hanging", hanging.url());
            var source = relay.api().createConnectedSource("healthy", healthy.url(), MAX_IN_FLIGHT);
            var table =
                    ReportTable.of(
                            "%d/s to a healthy destination, %d waiting for a dead one"
                                    .formatted(rate, waiting),
                            "pair | beside | ack p99 ms | first byte p50 ms | first byte p99 ms |"
                                    + " foreign cores");
            var alone = new ArrayList<Double>();
            var beside = new ArrayList<Double>();
            var hangingPlan =
                    LoadPlan.of(new LoadPattern.ConstantRate(HANGING_RATE), 8, slow.ingest())
                            .sized(load.size());
            for (int pair = 1; pair <= load.rounds(); pair++) {
                alone.add(measureWindow(pair, "nothing", source, healthy, received, table));
                setStatus("active");
                try (var more = LoadProcess.start(hangingPlan)) {
                    more.awaitMeasuring();
                    beside.add(
                            measureWindow(
                                    pair, "dead and hanging", source, healthy, received, table));
                }
                setStatus("paused");
            }
            report.add(table);
            compare(LatencyTolerance.median(alone), LatencyTolerance.median(beside), report);
        }
    }

    private BenchSource createPaused(String name, URI url) {
        var source = relay.api().createSource("source of a " + name + " destination");
        var retries = Collections.nCopies(10, RETRY_SECONDS);
        String destination = relay.api().createDestination(name, url, MAX_IN_FLIGHT, retries);
        relay.api().connect(source, destination, Map.of());
        unhealthyDestinations.add(destination);
        setStatus("paused");
        return source;
    }

    private void setStatus(String status) {
        unhealthyDestinations.forEach(destination -> relay.api().setStatus(destination, status));
    }

    /// Returns the p99 of the time from the relay's response to the first byte at the healthy
    /// destination, in milliseconds.
    private double measureWindow(
            int pair,
            String beside,
            BenchSource source,
            SinkProcess healthy,
            Path received,
            ReportTable table) {
        Path sent = relay.scratchFile("sent-%d-%s".formatted(pair, beside.replace(' ', '-')));
        var plan = load.gently(rate, source.ingest());
        var seen = LedgerMeasurement.run(relay, healthy, received, plan, sent);
        table.row(
                pair,
                beside,
                seen.measurement().result().latency().p99Ms(),
                seen.firstByte().p50Ms(),
                seen.firstByte().p99Ms(),
                seen.measurement().usage().foreignCores());
        return seen.firstByte().p99Ms();
    }

    private static void compare(double alone, double beside, BenchReport report) {
        report.remark(
                        "Median p99 of the first byte: %.1f ms beside nothing, %.1f ms beside them."
                                .formatted(alone, beside))
                .failUnless(
                        beside <= TOLERANCE.limit(alone),
                        "the healthy one's p99 was %.1f ms beside them, above %.1f"
                                .formatted(beside, TOLERANCE.limit(alone)));
    }
}
