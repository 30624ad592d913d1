package dev.sluice.bench.scenario;

import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.measure.FlightRecording;
import dev.sluice.bench.measure.ProcessRole;
import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.SystemUnderTest;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/// The `relay` and `ingest` scenarios, which send events as fast as the relay answers them.
///
/// In `relay`, each event is stored and delivered to one destination that answers immediately. In
/// `ingest`, the source has no connection, so events are only stored.
public record ThroughputScenario(
        String name, RelaySetup setup, LoadSettings load, boolean isProfiled) implements Scenario {
    private static final int METHODS_SHOWN = 25;

    public static ThroughputScenario from(String name, CommandLineOptions options) {
        var setup = RelaySetup.from(options);
        return new ThroughputScenario(
                name, setup, LoadSettings.from(options), options.flag("flame"));
    }

    @Override
    public BenchReport run() {
        if (name.equals("ingest")) {
            return setup.run(name, (system, report) -> measure(system, Optional.empty(), report));
        }
        try (var sink = SinkProcess.start()) {
            return setup.run(name, (system, report) -> measure(system, Optional.of(sink), report));
        }
    }

    private void measure(SystemUnderTest system, Optional<SinkProcess> sink, BenchReport report) {
        var source = system.api().createSource("bench");
        sink.ifPresent(
                open -> system.api().connect(source, "bench sink", open.url(), load.maxInFlight()));
        var arrivals = sink.map(SinkArrivals::new);
        var columns = EnumSet.range(ANSWERED_RATE, ACK_P999);
        if (sink.isEmpty()) {
            columns.removeAll(List.of(DELIVERED_RATE, SINK_CPU));
        }
        var table =
                new MeasurementTable(
                        "Back to back, " + load.title(),
                        "round",
                        columns,
                        sink.isPresent() ? new String[] {"drain s"} : new String[0]);
        var plan = load.backToBack(source.ingest());
        for (int round = 1; round <= load.rounds(); round++) {
            var measurement = LoadMeasurement.run(system, sink, plan);
            measurement.remarkFailures("Round " + round, report);
            table.row(
                    round,
                    measurement,
                    arrivals.stream().map(open -> open.awaitAll(measurement)).toArray());
        }
        report.add(table.table().medians());
        if (isProfiled) {
            var more = measureProfiled(system, sink, plan, report);
            arrivals.ifPresent(open -> open.awaitAll(more));
        }
        arrivals.ifPresent(open -> open.check(report));
    }

    /// Measures one more round under a profiler. This round runs after the others and does not
    /// count, because profiling costs CPU time.
    private LoadMeasurement measureProfiled(
            SystemUnderTest system, Optional<SinkProcess> sink, LoadPlan plan, BenchReport report) {
        Long relay = system.processes().get(ProcessRole.RELAY);
        if (relay == null) {
            throw new CommandLineException("--flame needs a relay of its own, or --pid");
        }
        var file = Path.of("bench", "target", "flame-" + name + ".jfr");
        var recording = FlightRecording.start(relay, file);
        var measurement = LoadMeasurement.run(system, sink, plan);
        var profile = recording.stop();
        var table = ReportTable.of("CPU samples of the relay", "method | self % | total %");
        for (var method : profile.hottest(METHODS_SHOWN)) {
            double self = profile.percent(method.self());
            table.row(method.method(), self, profile.percent(method.total()));
        }
        report.add(table).remark("Recording of one more round, warm-up included: " + file + ".");
        return measurement;
    }
}
