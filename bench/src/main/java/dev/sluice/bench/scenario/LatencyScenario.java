package dev.sluice.bench.scenario;

import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.TemporaryDirectory;
import dev.sluice.bench.relay.SystemUnderTest;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkBehaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/// The `latency` scenario measures two latencies. The first is the time until the relay answers the
/// sender, at half the maximum rate. The second is the time from that response to the first byte at
/// the destination, while the relay is almost idle.
///
/// @param rate the maximum rate, or 0 to have the scenario measure it
/// @param idleRate the rate at which the relay is almost idle
public record LatencyScenario(RelaySetup setup, LoadSettings load, int rate, int idleRate)
        implements Scenario {

    private static final double MAX_ACK_MS = 50;
    private static final double MAX_FIRST_BYTE_P50_MS = 5;
    private static final double MAX_FIRST_BYTE_P99_MS = 20;

    public static LatencyScenario from(CommandLineOptions options) {
        return new LatencyScenario(
                RelaySetup.from(options),
                LoadSettings.from(options),
                options.number("rate", 0),
                options.number("idle-rate", 50));
    }

    @Override
    public BenchReport run() {
        try (var sink = SinkProcess.start()) {
            return setup.run(
                    "latency",
                    (system, report) -> {
                        var half = halfLoad(system, sink, report);
                        var idle = almostIdle(system, report);
                        report.add(half).add(idle);
                        requireAtMost(half, "p99", MAX_ACK_MS, report);
                        requireAtMost(idle, "first byte p50 ms", MAX_FIRST_BYTE_P50_MS, report);
                        requireAtMost(idle, "first byte p99 ms", MAX_FIRST_BYTE_P99_MS, report);
                    });
        }
    }

    private static void requireAtMost(
            ReportTable table, String column, double limit, BenchReport report) {
        double seen = table.last(column).orElse(Double.NaN);
        report.failUnless(
                seen <= limit,
                "%s, %s: %.1f ms, above %.0f".formatted(table.title(), column, seen, limit));
    }

    private ReportTable halfLoad(SystemUnderTest system, SinkProcess sink, BenchReport report) {
        var ingest =
                system.api()
                        .createConnectedSource("bench", sink.url(), load.maxInFlight())
                        .ingest();
        var arrivals = new SinkArrivals(sink);
        var maximum = LoadMeasurement.run(system, sink, load.backToBack(ingest)); // also warms up
        arrivals.awaitAll(maximum);
        int half = Math.max(1, (rate > 0 ? rate : (int) maximum.deliveredPerSecond()) / 2);
        var columns = EnumSet.range(ACK_P50, LATENESS_P99);
        columns.addAll(List.of(ANSWERED_RATE, TOTAL_CPU));
        String title = "Even rate of %d/s, half of the maximum".formatted(half);
        var table = new MeasurementTable(title, "round", columns);
        for (int round = 1; round <= load.rounds(); round++) {
            var measurement = LoadMeasurement.run(system, sink, load.atRate(half, ingest));
            arrivals.awaitAll(measurement);
            measurement.remarkFailures("Half load, round " + round, report);
            table.row(round, measurement);
        }
        arrivals.check(report);
        return table.table().medians();
    }

    /// Measures the almost idle relay with a separate sink, which records when each event arrives.
    private ReportTable almostIdle(SystemUnderTest system, BenchReport report) {
        Path directory = TemporaryDirectory.make("sluice-bench-");
        Path received = directory.resolve("received");
        try (var sink =
                SinkProcess.start(new SinkBehaviour.ImmediateAnswers(), Optional.of(received))) {
            var source =
                    system.api()
                            .createConnectedSource("bench idle", sink.url(), load.maxInFlight());
            var plan = load.gently(idleRate, source.ingest());
            var idle =
                    LedgerMeasurement.run(system, sink, received, plan, directory.resolve("sent"));
            report.failUnless(
                    idle.comparison().isClean(), "the ledgers differ: " + idle.comparison());
            idle.measurement().remarkFailures("Almost idle", report);
            var ack = idle.measurement().result().latency();
            return ReportTable.of(
                            "Almost idle: answer, and from there to the first byte at the sink",
                            "due/s | ack p50 ms | ack p99 ms | first byte p50 ms | first byte p99"
                                    + " ms | first byte max ms | duplicated | foreign cores")
                    .row(
                            idleRate,
                            ack.p50Ms(),
                            ack.p99Ms(),
                            idle.firstByte().p50Ms(),
                            idle.firstByte().p99Ms(),
                            idle.firstByte().maxMs(),
                            idle.comparison().duplicated(),
                            idle.measurement().usage().foreignCores());
        } finally {
            TemporaryDirectory.remove(directory);
        }
    }
}
