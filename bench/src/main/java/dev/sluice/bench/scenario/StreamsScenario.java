package dev.sluice.bench.scenario;

import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.measure.LatencyTolerance;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.RelayApi.BenchSource;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.sink.SinkProcess;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/// Scenario `streams`: half of the maximum rate, in turn without streams and with many clients that
/// read the source's stream, some of which never read. Compares what is answered and delivered.
///
/// @param rate the maximum, or 0 to measure it first
/// @param stuck how many of the readers never read
public record StreamsScenario(RelaySetup setup, LoadSettings load, int rate, int readers, int stuck)
        implements Scenario {

    /// What streams may take from ingest and delivery: 5 %.
    private static final double MIN_RATIO = 0.95;

    public static StreamsScenario from(CommandLineOptions options) {
        return new StreamsScenario(
                RelaySetup.from(options),
                LoadSettings.from(options),
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
                        "read MB/s",
                        "streams ended");
        var without = new ArrayList<LoadMeasurement>();
        var with = new ArrayList<LoadMeasurement>();
        for (int pair = 1; pair <= load.rounds(); pair++) {
            var alone = LoadMeasurement.run(relay, sink, load.atRate(half, source.ingest()));
            arrivals.awaitAll(alone);
            table.row("none", alone, 0, 0);
            alone.remarkFailures("Round %d, no streams".formatted(pair), report);
            without.add(alone);
            var beside = besideReaders(relay, sink, source, half, table);
            arrivals.awaitAll(beside);
            beside.remarkFailures("Round %d, beside streams".formatted(pair), report);
            with.add(beside);
        }
        report.add(table.table());
        double answered = ratio(with, without, ANSWERED_RATE);
        double delivered = ratio(with, without, DELIVERED_RATE);
        report.remark(
                        "With %d readers, %d of them stuck / without, medians: answered %.3f, delivered %.3f, CPU an event %.2f."
                                .formatted(
                                        readers,
                                        stuck,
                                        answered,
                                        delivered,
                                        ratio(with, without, TOTAL_CPU)))
                .failUnless(answered >= MIN_RATIO, "streams slowed down what is answered")
                .failUnless(delivered >= MIN_RATIO, "streams slowed down what is delivered");
        arrivals.check(report);
    }

    private LoadMeasurement besideReaders(
            RelayProcess relay,
            SinkProcess sink,
            BenchSource source,
            int half,
            MeasurementTable table) {
        try (var streams = StreamReaders.open(relay.api(), source.id(), readers, stuck)) {
            long begun = System.nanoTime();
            var measurement = LoadMeasurement.run(relay, sink, load.atRate(half, source.ingest()));
            double seconds = (System.nanoTime() - begun) / 1e9;
            table.row(
                    readers,
                    measurement,
                    streams.bytes() / 1e6 / seconds,
                    streams.opened() - readers);
            return measurement;
        }
    }

    private static double ratio(
            List<LoadMeasurement> with,
            List<LoadMeasurement> without,
            MeasurementTable.MeasurementColumn column) {
        return median(with, column) / median(without, column);
    }

    private static double median(
            List<LoadMeasurement> measurements, MeasurementTable.MeasurementColumn column) {
        return LatencyTolerance.median(measurements.stream().map(column::number).toList());
    }
}
