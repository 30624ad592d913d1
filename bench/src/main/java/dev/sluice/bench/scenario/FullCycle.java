package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.Role.GENERATOR;
import static dev.sluice.bench.measure.Role.POSTGRES;
import static dev.sluice.bench.measure.Role.RELAY;
import static dev.sluice.bench.measure.Role.SINK;

import dev.sluice.bench.load.Pace;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.relay.Api.Source;
import dev.sluice.bench.relay.Target;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.util.Optional;

/// Scenario `relay`: in, stored, out again, to one destination that answers at once.
///
/// Back to back, so as fast as it goes.
public final class FullCycle implements Scenario {

    private final Setup setup;
    private final LoadSettings load;
    private final int maxInFlight;
    private final Flame flame;

    private FullCycle(Setup setup, LoadSettings load, int maxInFlight, Flame flame) {
        this.setup = setup;
        this.load = load;
        this.maxInFlight = maxInFlight;
        this.flame = flame;
    }

    public static FullCycle from(Options options) {
        return new FullCycle(
                Setup.from(options),
                LoadSettings.from(options),
                options.number("in-flight", 64),
                Flame.from(options));
    }

    @Override
    public Report run() {
        try (var sink = SinkProcess.start(new Behaviour.Fast(), Optional.empty());
                var target = setup.open()) {
            var source = target.api().source("bench");
            target.api().connect(source, "bench sink", sink.url(), maxInFlight);
            var report = new Report("relay");

            report.add(fullLoad(target, sink, source, report));
            Setup.stop(target, report);
            return report;
        }
    }

    private Table fullLoad(Target target, SinkProcess sink, Source source, Report report) {
        var table =
                new Table(
                        "Back to back, %d connections, %d bytes"
                                .formatted(load.connections(), load.size()),
                        "round",
                        "answered/s",
                        "delivered/s",
                        "relay µs",
                        "postgres µs",
                        "relay+postgres µs",
                        "generator µs",
                        "sink µs",
                        "ack p50 ms",
                        "p90",
                        "p99",
                        "p99.9",
                        "drain s",
                        "failures",
                        "foreign cores");
        var arrivals = new Arrivals(sink);
        for (int round = 1; round <= load.rounds(); round++) {
            var plan = load.plan(source.ingest(), new Pace.BackToBack());
            var lap = Lap.run(target, Optional.of(sink), plan);
            lap.remarkFailures("Round " + round, report);
            var ack = lap.result().latency();
            table.row(
                    round,
                    lap.result().answeredPerSecond(),
                    lap.deliveredPerSecond(),
                    lap.usage().microsEach(lap.delivered(), RELAY),
                    lap.usage().microsEach(lap.delivered(), POSTGRES),
                    lap.usage().microsEach(lap.delivered(), RELAY, POSTGRES),
                    lap.usage().microsEach(lap.answered(), GENERATOR),
                    lap.usage().microsEach(lap.delivered(), SINK),
                    ack.p50Ms(),
                    ack.p90Ms(),
                    ack.p99Ms(),
                    ack.p999Ms(),
                    arrivals.await(lap),
                    lap.result().failures(),
                    lap.usage().foreignCores());
        }
        var plan = load.plan(source.ingest(), new Pace.BackToBack());
        flame.lap(target, Optional.of(sink), plan, "relay", report).ifPresent(arrivals::await);
        arrivals.judge(report);
        return table.medians();
    }
}
