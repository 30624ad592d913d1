package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.ProcessRole.POSTGRES;
import static dev.sluice.bench.measure.ProcessRole.RELAY;
import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.bare.BareProcess;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.ExternalRelay;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkProcess;

import java.util.List;
import java.util.Map;

/// The `limit` scenario measures the relay and the bare pipeline in turn, on the same PostgreSQL,
/// with the same generator and sink. The ratio of their results shows how close the relay comes to
/// the limit set by its libraries and this machine.
public record LimitScenario(RelaySetup setup, LoadSettings load) implements Scenario {

    private static final Goal DELIVERY_RATIO =
            new Goal("Relay / bare, delivered a second", 0.90, 0.55);

    public static LimitScenario from(CommandLineOptions options) {
        return new LimitScenario(RelaySetup.from(options), LoadSettings.from(options));
    }

    @Override
    public BenchReport run() {
        return setup.runOwn("limit", this::measure);
    }

    private void measure(RelayProcess relay, BenchReport report) {
        try (var relaySink = SinkProcess.start();
                var bareSink = SinkProcess.start();
                var bare =
                        BareProcess.start(relay.database(), bareSink.url(), load.maxInFlight())) {
            var full = Contender.of(load.title() + ": relay", load, relay, relaySink);
            long postgres = relay.postmaster().orElseThrow().pid();
            var processes = Map.of(RELAY, bare.pid(), POSTGRES, postgres);
            var system = new ExternalRelay(relay.api(), processes);
            var limit =
                    new Contender(
                            load.title() + ": bare",
                            load.backToBack(bare.ingest()),
                            system,
                            bareSink);
            Contender.alternate(load.rounds(), List.of(limit, full), report);
            var fullTable = full.medians();
            var limitTable = limit.medians();
            report.add(fullTable).add(limitTable);
            compare(fullTable, limitTable, report);
        }
    }

    private static void compare(ReportTable full, ReportTable limit, BenchReport report) {
        double bareMicros = limit.last(TOTAL_CPU.title()).orElse(Double.MAX_VALUE);
        double micros = full.last(TOTAL_CPU.title()).orElse(0) / bareMicros;
        double rate =
                full.last(DELIVERED_RATE.title()).orElse(0)
                        / limit.last(DELIVERED_RATE.title()).orElse(1);
        report.remark("Relay / bare, CPU an event: %.2f.".formatted(micros));
        DELIVERY_RATIO.judge(rate, report);
    }
}
