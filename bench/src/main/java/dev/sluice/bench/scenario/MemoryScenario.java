package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.ProcessRole.POSTGRES;
import static dev.sluice.bench.measure.ProcessRole.REFERENCE;
import static dev.sluice.bench.measure.ProcessRole.RELAY;

import dev.sluice.bench.measure.ProcessMemory;
import dev.sluice.bench.measure.ProcessRole;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.InstalledPostgres;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/// The `memory` scenario measures the memory that a relay and all of its PostgreSQL's processes
/// occupy: after the start, right after full load, and again after an idle period. For comparison,
/// it also measures an unused PostgreSQL server with the same binaries at the same moments.
public record MemoryScenario(RelaySetup setup, LoadSettings load, MemoryTimes times)
        implements Scenario {

    private static final Goal FRESH = new Goal("Fresh, relay and PostgreSQL, MB of PSS", 160, 220);
    private static final Goal RESTED =
            Goal.atMost("Idle after full load, relay and PostgreSQL, MB of PSS", 300);

    /// How long each part of the scenario takes.
    ///
    /// @param settling the time from the start to the first measurement
    /// @param full how long the relay is under full load
    /// @param idle the time from the end of the load to the last measurement
    public record MemoryTimes(Duration settling, Duration full, Duration idle) {}

    public static MemoryScenario from(CommandLineOptions options) {
        return new MemoryScenario(
                RelaySetup.from(options),
                LoadSettings.from(options),
                new MemoryTimes(
                        options.seconds("settling", 10),
                        options.seconds("full", 60),
                        options.seconds("idle", 60)));
    }

    @Override
    public BenchReport run() {
        try (var sink = SinkProcess.start()) {
            return setup.runOwn("memory", (relay, report) -> measure(relay, sink, report));
        }
    }

    private void measure(RelayProcess relay, SinkProcess sink, BenchReport report) {
        var source = relay.api().createConnectedSource("bench", sink.url(), load.maxInFlight());
        var arrivals = new SinkArrivals(sink);
        var table =
                ReportTable.of(
                        "Memory, MB of PSS",
                        "moment | PostgreSQL alone | relay | its PostgreSQL | relay and its"
                                + " PostgreSQL | relay, RSS");
        try (var postgres = InstalledPostgres.start(relay.postgresPrograms())) {
            var processes = new EnumMap<ProcessRole, Long>(relay.processes());
            processes.put(REFERENCE, postgres.pid());

            Wait.pause(times.settling());
            double fresh = addRow("fresh", processes, table);
            var plan =
                    load.backToBack(source.ingest()).lasting(times.full(), Duration.ofSeconds(1));
            var measurement = LoadMeasurement.run(relay, sink, plan);
            addRow("after full load", processes, table);
            arrivals.awaitAll(measurement);
            Wait.pause(times.idle());
            double rested =
                    addRow("%d s later".formatted(times.idle().toSeconds()), processes, table);

            report.add(table);
            measurement.remarkFailures("Full load", report);
            arrivals.check(report);
            FRESH.judge(fresh, report);
            RESTED.judge(rested, report);
        }
    }

    /// Adds a row, and returns the combined memory of the relay and PostgreSQL in MB.
    private static double addRow(
            String moment, Map<ProcessRole, Long> processes, ReportTable table) {
        var relay = ProcessMemory.of(processes, RELAY);
        double postgres = ProcessMemory.of(processes, POSTGRES).proportionalMb();
        table.row(
                moment,
                ProcessMemory.of(processes, REFERENCE).proportionalMb(),
                relay.proportionalMb(),
                postgres,
                relay.proportionalMb() + postgres,
                relay.residentMb());
        return relay.proportionalMb() + postgres;
    }
}
