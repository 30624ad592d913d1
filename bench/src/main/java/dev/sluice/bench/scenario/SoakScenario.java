package dev.sluice.bench.scenario;

import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.measure.LiveHeap;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/// The `soak` scenario runs a relay at 70 % of its maximum rate, by default for ten minutes. The
/// CPU time per event and the live heap may grow only a little.
public record SoakScenario(RelaySetup setup, LoadSettings load, int minutes) implements Scenario {

    private static final double LOAD_RATIO = 0.7;

    /// The maximum allowed ratio of the CPU time per event in the last three minutes to that in
    /// minutes two to four.
    private static final double MAX_CPU_RATIO = 1.15;

    private static final double MAX_HEAP_GROWTH_MB = 32;
    private static final Duration WARM_UP_TIME = Duration.ofSeconds(5);
    private static final Duration MEASURED_TIME = Duration.ofSeconds(55);

    public static SoakScenario from(CommandLineOptions options) {
        return new SoakScenario(
                RelaySetup.from(options),
                LoadSettings.from(options),
                Math.max(2, options.number("minutes", 10)));
    }

    @Override
    public BenchReport run() {
        try (var sink = SinkProcess.start()) {
            return setup.runOwn("soak", (relay, report) -> measure(relay, sink, report));
        }
    }

    private void measure(RelayProcess relay, SinkProcess sink, BenchReport report) {
        var ingest =
                relay.api()
                        .createConnectedSource("bench soak", sink.url(), load.maxInFlight())
                        .ingest();
        var arrivals = new SinkArrivals(sink);
        var maximum = LoadMeasurement.run(relay, sink, load.backToBack(ingest));
        arrivals.awaitAll(maximum);
        int rate = Math.max(1, (int) (LOAD_RATIO * maximum.deliveredPerSecond()));
        var columns = EnumSet.range(DELIVERED_RATE, TOTAL_CPU);
        columns.addAll(List.of(ACK_P50, ACK_P99));
        String title = "%d/s due, 70 %% of the maximum".formatted(rate);
        String[] more = {"drain s", "live heap MB", "resident MB"};
        var table = new MeasurementTable(title, "minute", columns, more);
        List<Double> micros = new ArrayList<>();
        List<Double> heaps = new ArrayList<>();
        var plan = load.atRate(rate, ingest).lasting(WARM_UP_TIME, MEASURED_TIME);
        for (int minute = 1; minute <= minutes; minute++) {
            var measurement = LoadMeasurement.run(relay, sink, plan);
            double drained = arrivals.awaitAll(measurement);
            measurement.remarkFailures("Minute " + minute, report);
            var heap = LiveHeap.of(relay.pid());
            heaps.add(heap.megabytes());
            table.row(minute, measurement, drained, heap.megabytes(), heap.resident());
            micros.add(table.table().last(TOTAL_CPU.title()).orElseThrow());
        }
        report.add(table.table());
        judge(micros, heaps, report);
        arrivals.check(report);
        report.add(TableSizeQueries.tableSizes(relay.database()));
    }

    private static void judge(List<Double> micros, List<Double> heaps, BenchReport report) {
        double early = mean(micros.subList(1, Math.min(4, micros.size())));
        double late = mean(micros.subList(Math.max(1, micros.size() - 3), micros.size()));
        report.remark(
                        "CPU an event at the end / after the first minute: %.2f."
                                .formatted(late / early))
                .failUnless(
                        late <= MAX_CPU_RATIO * early,
                        "an event cost %.0f µs after the first minute and %.0f at the end"
                                .formatted(early, late))
                .failUnless(
                        heaps.getLast() - heaps.getFirst() <= MAX_HEAP_GROWTH_MB,
                        "the live heap grew from %.1f to %.1f MB"
                                .formatted(heaps.getFirst(), heaps.getLast()));
    }

    private static double mean(List<Double> numbers) {
        return numbers.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }
}
