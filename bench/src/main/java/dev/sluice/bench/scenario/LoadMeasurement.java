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

/// One load plan carried out, with the CPU time of all processes in its measured part.
///
/// @param delivered requests that reached the sink in that time; empty without a sink
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

    /// The processes whose CPU time counts, this one's too.
    static Map<ProcessRole, Long> processes(SystemUnderTest system, Optional<SinkProcess> sink) {
        var processes = new EnumMap<ProcessRole, Long>(ProcessRole.class);
        processes.putAll(system.processes());
        sink.ifPresent(open -> processes.put(ProcessRole.SINK, open.pid()));
        processes.put(ProcessRole.BENCH, ProcessHandle.current().pid());
        return processes;
    }

    /// Stores at least `rows` events for a destination that is paused, and returns their number.
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

    /// Reports the requests that failed, if any did.
    void remarkFailures(String part, BenchReport report) {
        if (result.failures() > 0) {
            report.remark(part + ": " + result.describeFailures() + ".");
        }
    }

    /// 200s within the measured time.
    long answered() {
        return Math.round(result.answeredPerSecond() * result.seconds());
    }

    /// What CPU time is counted by: events delivered, or answered where nothing is delivered.
    long events() {
        return delivered.orElseGet(this::answered);
    }
}
