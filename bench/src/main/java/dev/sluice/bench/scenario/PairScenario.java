package dev.sluice.bench.scenario;

import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The `pair` scenario measures this build and another one in turn, each with its own PostgreSQL.
/// The comparison shows what a change gains or costs. The result is the median of the rounds'
/// ratios, because the speed of a noisy machine changes more between rounds than within one.
///
/// @param rate the rate at which both are measured, in requests per second, or 0 for full load
/// @param settings the settings of both relays, by the names of their environment variables
public record PairScenario(
        RelaySetup setup,
        LoadSettings load,
        int rate,
        Duration settling,
        Path against,
        Map<String, String> settings)
        implements Scenario {

    /// The highest allowed median of the rounds' ratios. A ratio is this build's CPU time per event
    /// divided by the other build's.
    private static final double MAX_CPU_RATIO = 1.03;

    public static PairScenario from(CommandLineOptions options) {
        return new PairScenario(
                RelaySetup.from(options),
                LoadSettings.from(options),
                options.number("rate", 0),
                options.seconds("settling", Contender.SETTLING_SECONDS),
                options.path("against")
                        .orElseThrow(
                                () -> new CommandLineException("pair needs --against LAUNCHER")),
                options.flag("limits") ? RelayProcess.COUNTED_LIMITS : Map.of());
    }

    @Override
    public BenchReport run() {
        try (var sink = SinkProcess.start();
                var there = RelayProcess.start(against, false, settings)) {
            return setup.runOwn(
                    "pair",
                    settings,
                    (here, report) -> {
                        var ours = Contender.of("this build", load, rate, here, sink);
                        var theirs = Contender.of("the other build", load, rate, there, sink);
                        compare(ours, theirs, report);
                        RelaySetup.stopAndCheck(there, report);
                    });
        }
    }

    private void compare(Contender ours, Contender theirs, BenchReport report) {
        theirs.settle(settling);
        ours.settle(settling);
        var ratios =
                ReportTable.of(
                        "this build / the other", "round | CPU an event | delivered a second");
        Contender.alternate(
                load.rounds(),
                List.of(theirs, ours),
                report,
                round ->
                        ratios.row(
                                round,
                                ours.latest(TOTAL_CPU) / theirs.latest(TOTAL_CPU),
                                ours.latest(DELIVERED_RATE) / theirs.latest(DELIVERED_RATE)));
        report.add(ours.medians()).add(theirs.medians()).add(ratios.medians());
        double cpu = ratios.last("CPU an event").orElse(Double.MAX_VALUE);
        report.failUnless(
                cpu <= MAX_CPU_RATIO,
                "an event takes %.2f of the CPU that it takes in the other build, above %.2f"
                        .formatted(cpu, MAX_CPU_RATIO));
    }
}
