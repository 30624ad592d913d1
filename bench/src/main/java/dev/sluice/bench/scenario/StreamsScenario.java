package dev.sluice.bench.scenario;

import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.RelayApi.BenchSource;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.sink.SinkProcess;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/// The `streams` scenario runs a relay at half its maximum rate, alternating between no streams and
/// many clients that have the source's stream open. Some of these clients never read. The scenario
/// compares the rates of responses and deliveries, and the latency of the responses. By default,
/// each window is long enough for the relay to cut off the clients that never read. The relay does
/// so when it has been unable to send to a client for 30 s.
///
/// @param rate the maximum rate, or 0 to have the scenario measure it
/// @param readers the number of clients that open the stream
/// @param stuck how many of these clients never read
public record StreamsScenario(RelaySetup setup, LoadSettings load, int rate, int readers, int stuck)
        implements Scenario {

    private static final int WARM_UP_SECONDS = 10;
    private static final int MEASURED_SECONDS = 60;

    public static StreamsScenario from(CommandLineOptions options) {
        return new StreamsScenario(
                RelaySetup.from(options),
                LoadSettings.from(options, WARM_UP_SECONDS, MEASURED_SECONDS),
                options.number("rate", 0),
                options.number("readers", 200),
                options.number("stuck", 50));
    }

    @Override
    public BenchReport run() {
        try (var sink = SinkProcess.start()) {
            return setup.runOwn("streams", (relay, report) -> measure(relay, sink, report));
        }
    }

    private void measure(RelayProcess relay, SinkProcess sink, BenchReport report) {
        var source = relay.api().createConnectedSource("bench", sink.url(), load.maxInFlight());
        var arrivals = new SinkArrivals(sink);
        var maximum = LoadMeasurement.run(relay, sink, load.backToBack(source.ingest()));
        arrivals.awaitAll(maximum);
        int half = Math.max(1, (rate > 0 ? rate : (int) maximum.deliveredPerSecond()) / 2);

        var columns = EnumSet.range(ANSWERED_RATE, TOTAL_CPU);
        columns.addAll(List.of(ACK_P50, ACK_P99));
        var table =
                new MeasurementTable(
                        "Even rate of %d/s, half of the maximum".formatted(half),
                        "streams",
                        columns,
                        "answered of due",
                        "read MB/s",
                        "readers dropped",
                        "stuck dropped");
        var pairs = new ArrayList<StreamsComparison.StreamsPair>();
        for (int pair = 1; pair <= load.rounds(); pair++) {
            var alone = LoadMeasurement.run(relay, sink, load.atRate(half, source.ingest()));
            arrivals.awaitAll(alone);
            table.row("none", alone, alone.result().answeredShare(), 0, 0, 0);
            alone.remarkFailures("Round %d, no streams".formatted(pair), report);
            var beside = besideReaders(relay, sink, source, half, table);
            arrivals.awaitAll(beside.measurement());
            beside.measurement().remarkFailures("Round %d, beside streams".formatted(pair), report);
            pairs.add(
                    new StreamsComparison.StreamsPair(
                            StreamsComparison.StreamsWindow.of(alone),
                            StreamsComparison.StreamsWindow.of(beside.measurement()),
                            beside.droppedStuck()));
        }
        report.add(table.table());
        report.remark("%d readers, %d of them stuck.".formatted(readers, stuck));
        new StreamsComparison(pairs).addTo(report, stuck);
        arrivals.check(report);
    }

    /// @param droppedStuck how many of the non-reading clients the relay had cut off by the end of
    ///   the measurement
    private record MeasuredBeside(LoadMeasurement measurement, long droppedStuck) {}

    private MeasuredBeside besideReaders(
            RelayProcess relay,
            SinkProcess sink,
            BenchSource source,
            int half,
            MeasurementTable table) {
        try (var streams = StreamReaders.open(relay.api(), source.id(), readers, stuck)) {
            long begun = System.nanoTime();
            var measurement = LoadMeasurement.run(relay, sink, load.atRate(half, source.ingest()));
            double seconds = (System.nanoTime() - begun) / 1e9;
            // The reading clients reopen their streams, so every missing stream belonged to a
            // client that never reads.
            long droppedStuck = readers - openStreams(relay);
            table.row(
                    readers,
                    measurement,
                    measurement.result().answeredShare(),
                    streams.bytes() / 1e6 / seconds,
                    streams.opened() - readers,
                    droppedStuck);
            return new MeasuredBeside(measurement, droppedStuck);
        }
    }

    private static long openStreams(RelayProcess relay) {
        return relay.api().get("usage").path("concurrent_streams").path("used").asLong();
    }
}
