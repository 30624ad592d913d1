package dev.sluice.bench.scenario;

import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.Pace;
import dev.sluice.bench.load.Plan;
import dev.sluice.bench.load.Result;
import dev.sluice.bench.measure.Cpu;
import dev.sluice.bench.measure.Role;
import dev.sluice.bench.measure.Usage;
import dev.sluice.bench.relay.Target;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.sink.SinkProcess;

import java.net.URI;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/// One plan carried out, with everybody's CPU time between the edges of its measured part.
///
/// @param delivered requests that reached the sink in that time
record Lap(Result result, Usage usage, long delivered) {

    static Lap run(Target target, Optional<SinkProcess> sink, Plan plan) {
        try (var load = LoadProcess.start(plan)) {
            var processes = new EnumMap<Role, Long>(Role.class);
            processes.putAll(target.processes());
            processes.put(Role.GENERATOR, load.pid());
            sink.ifPresent(open -> processes.put(Role.SINK, open.pid()));
            processes.put(Role.CONDUCTOR, ProcessHandle.current().pid());

            load.awaitMeasuring();
            var edge = Edge.now(processes, sink);
            load.awaitMeasured();
            var end = Edge.now(processes, sink);

            var usage = Usage.between(edge.cpu(), end.cpu());
            return new Lap(load.result(), usage, end.delivered() - edge.delivered());
        }
    }

    /// Back to back, until at least so many events are stored, for a destination that is paused.
    ///
    /// @return how many are
    static long store(Target target, LoadSettings load, URI ingest, int rows, Report report) {
        long stored = 0;
        while (stored < rows) {
            var lap = run(target, Optional.empty(), load.plan(ingest, new Pace.BackToBack()));
            lap.remarkFailures("While they were stored", report);
            stored += lap.result().acceptedInAll();
        }
        return stored;
    }

    double deliveredPerSecond() {
        return delivered / usage.wallSeconds();
    }

    /// Says in the report what went wrong, if anything did.
    void remarkFailures(String part, Report report) {
        if (result.failures() > 0) {
            report.remark(part + ": " + result.failuresInWords() + ".");
        }
    }

    /// 200s within the measured time.
    long answered() {
        return Math.round(result.answeredPerSecond() * result.seconds());
    }

    private record Edge(Cpu cpu, long delivered) {

        static Edge now(Map<Role, Long> processes, Optional<SinkProcess> sink) {
            long delivered = sink.map(open -> open.count().requests()).orElse(0L);
            return new Edge(Cpu.now(processes), delivered);
        }
    }
}
