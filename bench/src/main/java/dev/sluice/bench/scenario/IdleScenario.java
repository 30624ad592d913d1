package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.ProcessRole.BENCH;
import static dev.sluice.bench.measure.ProcessRole.POSTGRES;
import static dev.sluice.bench.measure.ProcessRole.REFERENCE;
import static dev.sluice.bench.measure.ProcessRole.RELAY;

import dev.sluice.bench.measure.CpuSnapshot;
import dev.sluice.bench.measure.CpuUsage;
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

/// The `idle` scenario measures the CPU time that a relay uses while it has a source and a
/// destination but receives no events. For comparison, it also measures an unused PostgreSQL server
/// with the same binaries at the same time.
///
/// @param load the settings for the full load
/// @param full how long the relay first runs at full load; if zero, the measured relay has never
///   handled an event
/// @param settling how long the relay is then left idle before it is measured
public record IdleScenario(
        RelaySetup setup, LoadSettings load, Duration full, Duration settling, Duration measured)
        implements Scenario {

    private static final Goal MAX_CORE_PERCENT =
            new Goal("Relay and PostgreSQL, % of a core", 0.8, 1.0);

    public static IdleScenario from(CommandLineOptions options) {
        return new IdleScenario(
                RelaySetup.from(options),
                LoadSettings.from(options),
                options.seconds("full", 0),
                options.seconds("settling", 60),
                options.seconds("seconds", 60));
    }

    @Override
    public BenchReport run() {
        try (var sink = SinkProcess.start()) {
            return setup.runOwn("idle", (relay, report) -> measure(relay, sink, report));
        }
    }

    private void measure(RelayProcess relay, SinkProcess sink, BenchReport report) {
        var source = relay.api().createConnectedSource("bench", sink.url(), load.maxInFlight());
        if (full.isPositive()) {
            var arrivals = new SinkArrivals(sink);
            var plan = load.backToBack(source.ingest()).lasting(full, Duration.ofSeconds(1));
            var measurement = LoadMeasurement.run(relay, sink, plan);
            measurement.remarkFailures("Full load", report);
            arrivals.awaitAll(measurement);
            arrivals.check(report);
        }
        try (var postgres = InstalledPostgres.start(relay.postgresPrograms())) {
            var processes = new EnumMap<ProcessRole, Long>(relay.processes());
            processes.put(REFERENCE, postgres.pid());
            processes.put(BENCH, ProcessHandle.current().pid());
            Wait.pause(settling);
            var before = CpuSnapshot.now(processes);
            Wait.pause(measured);
            report(CpuUsage.between(before, CpuSnapshot.now(processes)), report);
        }
    }

    private void report(CpuUsage usage, BenchReport report) {
        var table =
                ReportTable.of(
                        "Idle for %.0f s, %d s after %s"
                                .formatted(
                                        usage.wallSeconds(),
                                        settling.toSeconds(),
                                        full.isPositive()
                                                ? full.toSeconds() + " s at full load"
                                                : "the start"),
                        "process | % of a core | switches/s");
        addRow(table, "PostgreSQL alone", usage, REFERENCE);
        addRow(table, "relay", usage, RELAY);
        addRow(table, "its PostgreSQL", usage, POSTGRES);
        addRow(table, "relay and its PostgreSQL", usage, RELAY, POSTGRES);
        report.add(table);

        var groups = new ThreadGroupTables(RELAY, POSTGRES, REFERENCE);
        double perSecond = 1 / usage.wallSeconds();
        groups.add("idle", usage, 100 * perSecond, perSecond);
        groups.tables("% of a core, by threads", "Switches a second, by threads")
                .forEach(report::add);
        report.remark("Foreign cores: %.2f.".formatted(usage.foreignCores()));
        MAX_CORE_PERCENT.judge(table.last("% of a core").orElse(Double.NaN), report);
    }

    private static void addRow(
            ReportTable table, String name, CpuUsage usage, ProcessRole... roles) {
        table.row(name, usage.percentOfCore(roles), usage.switches(roles) / usage.wallSeconds());
    }
}
