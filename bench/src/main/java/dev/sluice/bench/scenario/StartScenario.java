package dev.sluice.bench.scenario;

import dev.sluice.bench.measure.LiveHeap;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkProcess;

import java.sql.SQLException;

/// The `start` scenario measures how many seconds pass from the start command to the relay's first
/// response. This includes the time that PostgreSQL takes to start with a database that already
/// contains events. The scenario also measures the memory of the relay's process, both idle and
/// after work.
///
/// @param connections the number of additional connections, each with its own source
/// @param purged the number of additional purged sources, each with a deleted connection
public record StartScenario(
        RelaySetup setup, LoadSettings load, int starts, int connections, int purged)
        implements Scenario {

    private static final double MAX_START_SECONDS = 1.5;
    private static final double MAX_CONFIGURED_START_SECONDS = 3;

    public static StartScenario from(CommandLineOptions options) {
        return new StartScenario(
                RelaySetup.from(options),
                LoadSettings.from(options),
                Math.max(1, options.number("starts", 5)),
                options.number("configured", 0),
                options.number("purged", 0));
    }

    @Override
    public BenchReport run() {
        try (var sink = SinkProcess.start()) {
            return setup.runOwn("start", (relay, report) -> measure(relay, sink, report));
        }
    }

    private void measure(RelayProcess relay, SinkProcess sink, BenchReport report) {
        var source = relay.api().createConnectedSource("bench", sink.url(), load.maxInFlight());
        var arrivals = new SinkArrivals(sink);
        var measurement = LoadMeasurement.run(relay, sink, load.backToBack(source.ingest()));
        arrivals.awaitAll(measurement);
        var resident = LiveHeap.residentMegabytes(relay.pid());
        double live = LiveHeap.of(relay.pid()).megabytes();

        addConfiguration(relay);
        var table = ReportTable.of("Started again", "start | seconds | live heap MB | resident MB");
        for (int start = 1; start <= starts; start++) {
            RelaySetup.stopAndCheck(relay, report);
            long from = System.nanoTime();
            relay.restart();
            double seconds = (System.nanoTime() - from) / 1e9;
            var idle = LiveHeap.residentMegabytes(relay.pid());
            table.row(start, seconds, LiveHeap.of(relay.pid()).megabytes(), idle);
        }
        double median = table.medians().last("seconds").orElse(Double.NaN);
        report.add(table)
                .add(
                        ReportTable.of("After work", "delivered/s | live heap MB | resident MB")
                                .row(measurement.deliveredPerSecond(), live, resident))
                .failUnless(
                        median <= maxSeconds(),
                        "a start took %.2f s, above %.1f".formatted(median, maxSeconds()));
        arrivals.check(report);
    }

    private double maxSeconds() {
        return connections + purged > 0 ? MAX_CONFIGURED_START_SECONDS : MAX_START_SECONDS;
    }

    private void addConfiguration(RelayProcess relay) {
        if (connections + purged > 0) {
            try (var database = relay.database().connect()) {
                ConfigurationRows.add(database, connections, purged);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
