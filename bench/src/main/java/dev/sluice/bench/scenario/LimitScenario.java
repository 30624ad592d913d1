package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.ProcessRole.POSTGRES;
import static dev.sluice.bench.measure.ProcessRole.RELAY;
import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.bare.BareProcess;
import dev.sluice.bench.measure.LatencyTolerance;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.ExternalRelay;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The `limit` scenario measures the relay and the bare pipeline in turn, on the same PostgreSQL,
/// with the same generator and sink. The ratio of their results shows how close the relay comes to
/// the limit set by its libraries and this machine.
///
/// The same is then done at an even rate of half of what the relay delivered, to compare how long
/// both take to answer.
///
/// @param settling how long each is under load before the first round
/// @param halfRounds the number of rounds at half load; with 0, that part is skipped
public record LimitScenario(RelaySetup setup, LoadSettings load, Duration settling, int halfRounds)
        implements Scenario {

    private static final Goal DELIVERY_RATIO =
            new Goal("Relay / bare, delivered a second", 0.90, 0.55);

    private static final LatencyTolerance HALF_LOAD_TOLERANCE = new LatencyTolerance(1.3, 20);

    public static LimitScenario from(CommandLineOptions options) {
        return new LimitScenario(
                RelaySetup.from(options),
                LoadSettings.from(options),
                options.seconds("settling", Contender.SETTLING_SECONDS),
                options.number("half-rounds", 5));
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
            var ingest =
                    relay.api()
                            .createConnectedSource("bench", relaySink.url(), load.maxInFlight())
                            .ingest();
            var full =
                    new Contender(
                            load.title() + ": relay", load.backToBack(ingest), relay, relaySink);
            long postgres = relay.postmaster().orElseThrow().pid();
            var processes = Map.of(RELAY, bare.pid(), POSTGRES, postgres);
            var system = new ExternalRelay(relay.api(), processes);
            var limit =
                    new Contender(
                            load.title() + ": bare",
                            load.backToBack(bare.ingest()),
                            system,
                            bareSink);
            limit.settle(settling);
            full.settle(settling);
            Contender.alternate(load.rounds(), List.of(limit, full), report);
            var fullTable = full.medians();
            var limitTable = limit.medians();
            report.add(fullTable).add(limitTable);
            compare(fullTable, limitTable, report);
            int half = (int) fullTable.last(DELIVERED_RATE.title()).orElse(0) / 2;
            if (halfRounds > 0) {
                String title = "Even rate of %d/s: ".formatted(half);
                compareAnswers(
                        new Contender(title + "relay", load.atRate(half, ingest), relay, relaySink),
                        new Contender(
                                title + "bare", load.atRate(half, bare.ingest()), system, bareSink),
                        report);
            }
        }
    }

    private void compareAnswers(Contender relay, Contender bare, BenchReport report) {
        Contender.alternate(halfRounds, List.of(bare, relay), report);
        var relayTable = relay.medians();
        var bareTable = bare.medians();
        report.add(relayTable).add(bareTable);
        double seen = relayTable.last(ACK_P99.title()).orElse(Double.NaN);
        double standard = bareTable.last(ACK_P99.title()).orElse(Double.NaN);
        double limit = HALF_LOAD_TOLERANCE.limit(standard);
        report.remark(
                        "Answers at half load, p99: %.1f ms, bare %.1f ms, at most %.1f allowed."
                                .formatted(seen, standard, limit))
                .failUnless(seen <= limit, "answers at half load take too long");
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
