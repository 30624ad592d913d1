package dev.sluice.bench.scenario;

import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.LoadResult;
import dev.sluice.bench.measure.CpuSnapshot;
import dev.sluice.bench.measure.CpuUsage;
import dev.sluice.bench.measure.ProcessRole;
import dev.sluice.bench.relay.SystemUnderTest;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.sink.SinkProcess;

import java.net.URI;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/// The result of running one load plan, with the CPU time that each role's processes used during
/// the measurement period.
///
/// @param delivered the number of requests that reached the sink during the measurement period, or
///   empty if there was no sink
record LoadMeasurement(LoadResult result, CpuUsage usage, Optional<Long> delivered) {

    static LoadMeasurement run(SystemUnderTest system, SinkProcess sink, LoadPlan plan) {
        return run(system, Optional.of(sink), plan);
    }

    static LoadMeasurement run(SystemUnderTest system, Optional<SinkProcess> sink, LoadPlan plan) {
        try (var load = LoadProcess.start(plan)) {
            var processes = processes(system, sink);
            processes.put(ProcessRole.GENERATOR, load.pid());
            load.awaitMeasuring();
            var before = CpuSnapshot.now(processes);
            var known = sink.map(open -> open.count().requests());
            load.awaitMeasured();
            var delivered = sink.map(open -> open.count().requests() - known.orElseThrow());
            var usage = CpuUsage.between(before, CpuSnapshot.now(processes));
            return new LoadMeasurement(load.result(), usage, delivered);
        }
    }

    /// Returns the processes whose CPU time is counted, including this process.
    static Map<ProcessRole, Long> processes(SystemUnderTest system, Optional<SinkProcess> sink) {
        var processes = new EnumMap<ProcessRole, Long>(ProcessRole.class);
        processes.putAll(system.processes());
        sink.ifPresent(open -> processes.put(ProcessRole.SINK, open.pid()));
        processes.put(ProcessRole.BENCH, ProcessHandle.current().pid());
        return processes;
    }

    /// Stores at least `rows` events and returns their number. The destination must be paused.
    static long storeBacklog(
            SystemUnderTest system, LoadSettings load, URI ingest, int rows, BenchReport report) {
        long stored = 0;
        while (stored < rows) {
            var measurement = run(system, Optional.empty(), load.backToBack(ingest));
            measurement.remarkFailures("While the backlog was stored", report);
            stored += measurement.result().acceptedInAll();
        }
        return stored;
    }

    double deliveredPerSecond() {
        return delivered.orElse(0L) / usage.wallSeconds();
    }

    /// Adds a remark to the report if any requests failed.
    void remarkFailures(String part, BenchReport report) {
        if (result.failures() > 0) {
            report.remark(part + ": " + result.describeFailures() + ".");
        }
    }

    /// Returns how many requests were answered with 200 within the measurement period.
    long answered() {
        return Math.round(result.answeredPerSecond() * result.seconds());
    }

    /// Returns the number by which CPU time is divided to get the time per event: delivered events,
    /// or answered requests if there was no sink.
    long events() {
        return delivered.orElseGet(this::answered);
    }
}
