package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.Role.RELAY;

import dev.sluice.bench.load.Pace;
import dev.sluice.bench.measure.LiveHeap;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;
import java.util.Optional;

/// Scenario `start`: on a database that has events, from the command to the first answer,
/// PostgreSQL's start included; and the memory of the process, idle and after work.
public final class Start implements Scenario {

    private static final double MOST_SECONDS = 1.5;

    private final Setup setup;
    private final LoadSettings load;
    private final int maxInFlight;
    private final int starts;

    private Start(Setup setup, LoadSettings load, int maxInFlight, int starts) {
        this.setup = setup;
        this.load = load;
        this.maxInFlight = maxInFlight;
        this.starts = starts;
    }

    public static Start from(Options options) {
        return new Start(
                Setup.from(options),
                LoadSettings.from(options),
                options.number("in-flight", 64),
                Math.max(1, options.number("starts", 5)));
    }

    @Override
    public Report run() {
        try (var relay = setup.openOwn();
                var sink = SinkProcess.start(new Behaviour.Fast(), Optional.empty())) {
            var source = relay.api().source("bench");
            relay.api().connect(source, "bench sink", sink.url(), maxInFlight);
            var report = new Report("start");
            var arrivals = new Arrivals(sink);
            var lap =
                    Lap.run(
                            relay,
                            Optional.of(sink),
                            load.plan(source.ingest(), new Pace.BackToBack()));
            arrivals.await(lap);
            double resident = LiveHeap.residentOf(pid(relay)).orElse(Double.NaN);
            double live = LiveHeap.of(pid(relay)).megabytes();

            var table =
                    new Table("Started again", "start", "seconds", "live heap MB", "resident MB");
            for (int start = 1; start <= starts; start++) {
                Setup.stop(relay, report);
                double seconds = seconds(relay);
                double idle = LiveHeap.residentOf(pid(relay)).orElse(Double.NaN);
                table.row(start, seconds, LiveHeap.of(pid(relay)).megabytes(), idle);
            }
            var medians = table.medians();
            report.add(medians);
            report.add(
                    new Table("After work", "delivered/s", "live heap MB", "resident MB")
                            .row(lap.deliveredPerSecond(), live, resident));
            double median = medians.last("seconds").orElse(Double.NaN);
            report.failUnless(
                    median <= MOST_SECONDS,
                    "a start took %.2f s, and at most %.1f were wanted"
                            .formatted(median, MOST_SECONDS));
            arrivals.judge(report);
            Setup.stop(relay, report);
            return report;
        }
    }

    private static double seconds(Relay relay) {
        long from = System.nanoTime();
        relay.restart();
        return Duration.ofNanos(System.nanoTime() - from).toMillis() / 1000.0;
    }

    private static long pid(Relay relay) {
        return relay.processes().getOrDefault(RELAY, 0L);
    }
}
