package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.ProcessRole.POSTGRES;
import static dev.sluice.bench.measure.ProcessRole.RELAY;
import static dev.sluice.bench.measure.ProcessRole.SINK;

import dev.sluice.bench.measure.CpuSnapshot;
import dev.sluice.bench.measure.CpuUsage;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.relay.SystemUnderTest;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// The `drain` scenario measures how fast a relay delivers a backlog. It resumes a paused
/// destination for which, by default, a million deliveries are waiting. The destination answers
/// each request immediately, and the relay has no other load.
public record DrainScenario(RelaySetup setup, LoadSettings load, int rows) implements Scenario {

    private static final Duration DRAIN_TIMEOUT = Duration.ofMinutes(30);

    public static DrainScenario from(CommandLineOptions options) {
        return new DrainScenario(
                RelaySetup.from(options),
                LoadSettings.from(options),
                options.number("rows", 1_000_000));
    }

    @Override
    public BenchReport run() {
        try (var sink = SinkProcess.start()) {
            return setup.run("drain", (system, report) -> measure(system, sink, report));
        }
    }

    private void measure(SystemUnderTest system, SinkProcess sink, BenchReport report) {
        var api = system.api();
        var source = api.createSource("bench drain");
        String destination =
                api.createDestination(
                        "bench sink", sink.url(), load.maxInFlight(), RelayApi.RETRY_SECONDS);
        api.connect(source, destination, Map.of());
        api.setStatus(destination, "paused");
        long waiting = LoadMeasurement.storeBacklog(system, load, source.ingest(), rows, report);

        var processes = LoadMeasurement.processes(system, Optional.of(sink));
        var before = CpuSnapshot.now(processes);
        api.setStatus(destination, "active");
        boolean hasArrived = Wait.until(DRAIN_TIMEOUT, () -> sink.count().requests() >= waiting);
        var usage = CpuUsage.between(before, CpuSnapshot.now(processes));
        long arrived = sink.count().requests();
        report.failUnless(
                hasArrived && arrived == waiting,
                "%d waited, %d arrived".formatted(waiting, arrived));
        String title = "Resumed, %d bytes, %d at once".formatted(load.size(), load.maxInFlight());
        report.add(
                ReportTable.of(
                                title,
                                "rows | seconds | rows/s | relay µs | postgres µs | relay+postgres"
                                        + " µs | sink µs | foreign cores")
                        .row(
                                arrived,
                                usage.wallSeconds(),
                                arrived / usage.wallSeconds(),
                                usage.microsPerEvent(arrived, RELAY),
                                usage.microsPerEvent(arrived, POSTGRES),
                                usage.microsPerEvent(arrived, RELAY, POSTGRES),
                                usage.microsPerEvent(arrived, SINK),
                                usage.foreignCores()));
    }
}
