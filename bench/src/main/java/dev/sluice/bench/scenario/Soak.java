package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.Role.POSTGRES;
import static dev.sluice.bench.measure.Role.RELAY;

import dev.sluice.bench.load.Pace;
import dev.sluice.bench.load.Plan;
import dev.sluice.bench.measure.LiveHeap;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.relay.Api.Source;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Scenario `soak`: ten minutes at 70 % of what the relay can do. What an event costs, and what is
/// kept alive, must not grow.
public final class Soak implements Scenario {

    private static final double SHARE = 0.7;

    /// Of the last three minutes' CPU an event against that of the three after the first.
    private static final double MOST_CPU = 1.15;

    /// Of the live heap at the end against that after the first minute.
    private static final double MOST_HEAP_MB = 32;

    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final Duration MINUTE = Duration.ofSeconds(55);

    private final Setup setup;
    private final LoadSettings load;
    private final int maxInFlight;
    private final int minutes;

    private Soak(Setup setup, LoadSettings load, int maxInFlight, int minutes) {
        this.setup = setup;
        this.load = load;
        this.maxInFlight = maxInFlight;
        this.minutes = minutes;
    }

    public static Soak from(Options options) {
        return new Soak(
                Setup.from(options),
                LoadSettings.from(options),
                options.number("in-flight", 64),
                Math.max(2, options.number("minutes", 10)));
    }

    @Override
    public Report run() {
        try (var relay = setup.openOwn();
                var sink = SinkProcess.start(new Behaviour.Fast(), Optional.empty())) {
            var source = relay.api().source("bench soak");
            relay.api().connect(source, "bench sink", sink.url(), maxInFlight);
            var report = new Report("soak");
            var arrivals = new Arrivals(sink);
            var most =
                    Lap.run(
                            relay,
                            Optional.of(sink),
                            load.plan(source.ingest(), new Pace.BackToBack()));
            arrivals.await(most);
            int rate = Math.max(1, (int) (SHARE * most.deliveredPerSecond()));

            soak(relay, source, sink, rate, arrivals, report);
            arrivals.judge(report);
            report.add(Occupied.in(relay.database()));
            Setup.stop(relay, report);
            return report;
        }
    }

    private void soak(
            Relay relay,
            Source source,
            SinkProcess sink,
            int rate,
            Arrivals arrivals,
            Report report) {
        var table =
                new Table(
                        "%d/s due, 70 %% of the maximum".formatted(rate),
                        "minute",
                        "delivered/s",
                        "relay µs",
                        "postgres µs",
                        "relay+postgres µs",
                        "ack p50 ms",
                        "p99",
                        "drain s",
                        "live heap MB",
                        "resident MB",
                        "failures",
                        "foreign cores");
        List<Double> micros = new ArrayList<>();
        List<Double> heaps = new ArrayList<>();
        for (int minute = 1; minute <= minutes; minute++) {
            var plan =
                    new Plan(
                            source.ingest(),
                            new Pace.PerSecond(rate),
                            load.connections(),
                            load.size(),
                            WARM_UP,
                            MINUTE,
                            Optional.empty(),
                            Optional.empty());
            var lap = Lap.run(relay, Optional.of(sink), plan);
            double drained = arrivals.await(lap);
            lap.remarkFailures("Minute " + minute, report);
            var heap = LiveHeap.of(relay.processes().getOrDefault(RELAY, 0L));
            micros.add(lap.usage().microsEach(lap.delivered(), RELAY, POSTGRES).orElseThrow());
            heaps.add(heap.megabytes());
            table.row(
                    minute,
                    lap.deliveredPerSecond(),
                    lap.usage().microsEach(lap.delivered(), RELAY),
                    lap.usage().microsEach(lap.delivered(), POSTGRES),
                    lap.usage().microsEach(lap.delivered(), RELAY, POSTGRES),
                    lap.result().latency().p50Ms(),
                    lap.result().latency().p99Ms(),
                    drained,
                    heap.megabytes(),
                    heap.resident(),
                    lap.result().failures(),
                    lap.usage().foreignCores());
        }
        report.add(table);
        double early = mean(micros.subList(1, Math.min(4, micros.size())));
        double late = mean(micros.subList(Math.max(1, micros.size() - 3), micros.size()));
        report.remark(
                "CPU an event at the end / after the first minute: %.2f.".formatted(late / early));
        report.failUnless(
                late <= MOST_CPU * early,
                "an event cost %.0f µs after the first minute and %.0f at the end"
                        .formatted(early, late));
        report.failUnless(
                heaps.getLast() - heaps.getFirst() <= MOST_HEAP_MB,
                "the live heap grew from %.1f to %.1f MB"
                        .formatted(heaps.getFirst(), heaps.getLast()));
    }

    private static double mean(List<Double> numbers) {
        return numbers.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }
}
