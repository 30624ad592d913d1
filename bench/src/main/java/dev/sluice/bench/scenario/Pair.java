package dev.sluice.bench.scenario;

import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Scenario `pair`: this build and another one in turn, each on a PostgreSQL of its own. What one
/// change gains or costs.
public final class Pair implements Scenario {

    private final Setup setup;
    private final LoadSettings load;
    private final int maxInFlight;
    private final Path against;

    private Pair(Setup setup, LoadSettings load, int maxInFlight, Path against) {
        this.setup = setup;
        this.load = load;
        this.maxInFlight = maxInFlight;
        this.against = against;
    }

    public static Pair from(Options options) {
        return new Pair(
                Setup.from(options),
                LoadSettings.from(options),
                options.number("in-flight", 64),
                options.path("against")
                        .orElseThrow(() -> new UsageException("pair needs --against LAUNCHER")));
    }

    @Override
    public Report run() {
        try (var sink = SinkProcess.start(new Behaviour.Fast(), Optional.empty());
                var here = setup.openOwn();
                var there = Relay.start(against, false)) {
            var report = new Report("pair");
            var ours = part("this build", here, sink);
            var theirs = part("the other build", there, sink);
            Part.toAndFro(List.of(theirs, ours), report);
            var ourTable = ours.medians();
            var theirTable = theirs.medians();
            report.add(ourTable).add(theirTable);
            report.remark(
                    "This build / the other, CPU an event: %.2f, delivered a second: %.2f."
                            .formatted(
                                    ratio("pipeline+postgres µs", ourTable, theirTable),
                                    ratio("delivered/s", ourTable, theirTable)));
            Setup.stop(here, report);
            Setup.stop(there, report);
            return report;
        }
    }

    private static double ratio(String column, Table ours, Table theirs) {
        return ours.last(column).orElse(Double.NaN) / theirs.last(column).orElse(Double.NaN);
    }

    private Part part(String title, Relay relay, SinkProcess sink) {
        var source = relay.api().source("bench");
        relay.api().connect(source, "bench sink", sink.url(), maxInFlight);
        return new Part(title, load, source.ingest(), relay, sink);
    }
}
