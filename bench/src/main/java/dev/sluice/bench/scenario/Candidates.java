package dev.sluice.bench.scenario;

import dev.sluice.bench.bare.BareProcess;
import dev.sluice.bench.bare.BareVariant;
import dev.sluice.bench.bare.BareVariant.Client;
import dev.sluice.bench.bare.BareVariant.Form;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Scenario `candidates`: bare pipelines that differ in one thing each, in turn, on the same
/// PostgreSQL: what would be gained by another client, another form of writing, a second writer,
/// other flags of the JVM.
public final class Candidates implements Scenario {

    private static final List<BareVariant> VARIANTS =
            List.of(
                    BareVariant.LEAN,
                    BareVariant.LEAN.with(Client.CLASSIC),
                    BareVariant.LEAN.with(Form.UNNEST),
                    BareVariant.LEAN.committing(2),
                    BareVariant.LEAN.restless(),
                    BareVariant.LEAN.unprepared(),
                    BareVariant.LEAN.flags("-XX:-UseG1GC", "-XX:+UseParallelGC"),
                    BareVariant.LEAN.flags("-XX:-UseG1GC", "-XX:+UseSerialGC"),
                    BareVariant.LEAN.flags("-XX:-UseCompactObjectHeaders"));

    private final Setup setup;
    private final LoadSettings load;
    private final int maxInFlight;

    private Candidates(Setup setup, LoadSettings load, int maxInFlight) {
        this.setup = setup;
        this.load = load;
        this.maxInFlight = maxInFlight;
    }

    public static Candidates from(Options options) {
        return new Candidates(
                Setup.from(options), LoadSettings.from(options), options.number("in-flight", 64));
    }

    @Override
    public Report run() {
        List<BareProcess> processes = new ArrayList<>();
        try (var relay = setup.openOwn();
                var sink = SinkProcess.start(new Behaviour.Fast(), Optional.empty())) {
            var report = new Report("candidates");
            List<Part> parts = new ArrayList<>();
            for (var variant : VARIANTS) {
                parts.add(part(variant, relay, sink, processes));
            }
            Part.toAndFro(parts, report);
            parts.forEach(part -> report.add(part.medians()));
            Setup.stop(relay, report);
            return report;
        } finally {
            processes.forEach(BareProcess::close);
        }
    }

    private Part part(
            BareVariant variant, Relay relay, SinkProcess sink, List<BareProcess> processes) {
        var process =
                BareProcess.start(
                        relay.database(),
                        "bare_" + processes.size(),
                        sink.url(),
                        maxInFlight,
                        variant);
        processes.add(process);
        return new Part(
                "%d connections: %s".formatted(load.connections(), variant),
                load,
                process.ingest(),
                new BareTarget(relay, process),
                sink);
    }
}
