package dev.sluice.bench.scenario;

import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;
import java.util.List;

/// Scenario `pair`: this build and another one in turn, each on a PostgreSQL of its own. Shows what
/// one change gains or costs.
public record PairScenario(RelaySetup setup, LoadSettings load, Path against) implements Scenario {

    public static PairScenario from(CommandLineOptions options) {
        return new PairScenario(
                RelaySetup.from(options),
                LoadSettings.from(options),
                options.path("against")
                        .orElseThrow(
                                () -> new CommandLineException("pair needs --against LAUNCHER")));
    }

    @Override
    public BenchReport run() {
        try (var sink = SinkProcess.start();
                var there = RelayProcess.start(against, false)) {
            return setup.runOwn(
                    "pair",
                    (here, report) -> {
                        var ours = Contender.of("this build", load, here, sink);
                        var theirs = Contender.of("the other build", load, there, sink);
                        Contender.alternate(load.rounds(), List.of(theirs, ours), report);
                        var ourTable = ours.medians();
                        var theirTable = theirs.medians();
                        report.add(ourTable).add(theirTable);
                        report.remark(
                                "This build / the other, CPU an event: %.2f, delivered a second: %.2f."
                                        .formatted(
                                                ratio(TOTAL_CPU, ourTable, theirTable),
                                                ratio(DELIVERED_RATE, ourTable, theirTable)));
                        RelaySetup.stopAndCheck(there, report);
                    });
        }
    }

    private static double ratio(MeasurementColumn column, ReportTable ours, ReportTable theirs) {
        return ours.last(column.title()).orElse(Double.NaN)
                / theirs.last(column.title()).orElse(Double.NaN);
    }
}
