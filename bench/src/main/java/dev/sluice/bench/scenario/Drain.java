package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.Role.CONDUCTOR;
import static dev.sluice.bench.measure.Role.POSTGRES;
import static dev.sluice.bench.measure.Role.RELAY;
import static dev.sluice.bench.measure.Role.SINK;

import dev.sluice.bench.measure.Cpu;
import dev.sluice.bench.measure.Role;
import dev.sluice.bench.measure.Usage;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/// Scenario `drain`: a destination is resumed that a million deliveries wait for, and answers all
/// of them at once. Nothing else is going on.
public final class Drain implements Scenario {

    private static final Duration LONGEST = Duration.ofMinutes(30);

    private final Setup setup;
    private final LoadSettings load;
    private final int maxInFlight;
    private final int rows;

    private Drain(Setup setup, LoadSettings load, int maxInFlight, int rows) {
        this.setup = setup;
        this.load = load;
        this.maxInFlight = maxInFlight;
        this.rows = rows;
    }

    public static Drain from(Options options) {
        return new Drain(
                Setup.from(options),
                LoadSettings.from(options),
                options.number("in-flight", 64),
                options.number("rows", 1_000_000));
    }

    @Override
    public Report run() {
        try (var target = setup.open();
                var sink = SinkProcess.start(new Behaviour.Fast(), Optional.empty())) {
            var api = target.api();
            var source = api.source("bench drain");
            String destination =
                    api.destination("bench sink", sink.url(), Map.of("max_in_flight", maxInFlight));
            api.connect(source, destination, Map.of());
            api.change("destinations/" + destination, Map.of("status", "paused"));
            var report = new Report("drain");
            long waiting = Lap.store(target, load, source.ingest(), rows, report);

            var processes = new EnumMap<Role, Long>(Role.class);
            processes.putAll(target.processes());
            processes.put(SINK, sink.pid());
            processes.put(CONDUCTOR, ProcessHandle.current().pid());
            var before = Cpu.now(processes);
            api.change("destinations/" + destination, Map.of("status", "active"));
            boolean hasArrived = Wait.until(LONGEST, () -> sink.count().requests() >= waiting);
            var usage = Usage.between(before, Cpu.now(processes));
            long arrived = sink.count().requests();
            report.failUnless(
                    hasArrived && arrived == waiting,
                    "%d waited, %d arrived".formatted(waiting, arrived));
            report.add(
                    new Table(
                                    "Resumed, %d bytes, %d at once"
                                            .formatted(load.size(), maxInFlight),
                                    "rows",
                                    "seconds",
                                    "rows/s",
                                    "relay µs",
                                    "postgres µs",
                                    "relay+postgres µs",
                                    "sink µs",
                                    "foreign cores")
                            .row(
                                    arrived,
                                    usage.wallSeconds(),
                                    arrived / usage.wallSeconds(),
                                    usage.microsEach(arrived, RELAY),
                                    usage.microsEach(arrived, POSTGRES),
                                    usage.microsEach(arrived, RELAY, POSTGRES),
                                    usage.microsEach(arrived, SINK),
                                    usage.foreignCores()));
            Setup.stop(target, report);
            return report;
        }
    }
}
