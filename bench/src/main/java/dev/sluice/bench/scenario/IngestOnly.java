package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.Role.GENERATOR;
import static dev.sluice.bench.measure.Role.POSTGRES;
import static dev.sluice.bench.measure.Role.RELAY;

import dev.sluice.bench.load.Pace;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;

import java.util.Optional;

/// Scenario `ingest`: a source without connections, so events are stored and nothing is sent.
public final class IngestOnly implements Scenario {

    private final Setup setup;
    private final LoadSettings load;
    private final Flame flame;

    private IngestOnly(Setup setup, LoadSettings load, Flame flame) {
        this.setup = setup;
        this.flame = flame;
        this.load = load;
    }

    public static IngestOnly from(Options options) {
        return new IngestOnly(Setup.from(options), LoadSettings.from(options), Flame.from(options));
    }

    @Override
    public Report run() {
        try (var target = setup.open()) {
            var source = target.api().source("bench ingest");
            var report = new Report("ingest");
            var table =
                    new Table(
                            "Back to back, %d connections, %d bytes"
                                    .formatted(load.connections(), load.size()),
                            "round",
                            "answered/s",
                            "relay µs",
                            "postgres µs",
                            "relay+postgres µs",
                            "generator µs",
                            "ack p50 ms",
                            "p90",
                            "p99",
                            "p99.9",
                            "failures",
                            "foreign cores");
            for (int round = 1; round <= load.rounds(); round++) {
                var plan = load.plan(source.ingest(), new Pace.BackToBack());
                var lap = Lap.run(target, Optional.empty(), plan);
                lap.remarkFailures("Round " + round, report);
                var ack = lap.result().latency();
                table.row(
                        round,
                        lap.result().answeredPerSecond(),
                        lap.usage().microsEach(lap.answered(), RELAY),
                        lap.usage().microsEach(lap.answered(), POSTGRES),
                        lap.usage().microsEach(lap.answered(), RELAY, POSTGRES),
                        lap.usage().microsEach(lap.answered(), GENERATOR),
                        ack.p50Ms(),
                        ack.p90Ms(),
                        ack.p99Ms(),
                        ack.p999Ms(),
                        lap.result().failures(),
                        lap.usage().foreignCores());
            }
            var plan = load.plan(source.ingest(), new Pace.BackToBack());
            var _ = flame.lap(target, Optional.empty(), plan, "ingest", report);
            report.add(table.medians());
            Setup.stop(target, report);
            return report;
        }
    }
}
