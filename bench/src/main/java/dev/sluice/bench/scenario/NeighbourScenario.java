package dev.sluice.bench.scenario;

import dev.sluice.bench.measure.LatencyTolerance;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.UncheckedCalls;
import dev.sluice.bench.relay.RelayApi.BenchSource;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkProcess;

import java.util.ArrayList;
import java.util.List;

/// The `neighbours` scenario measures a source with moderate traffic, both on its own and while
/// each [NeighbourAttack] runs through another source in the same workspace. It compares the p99
/// latencies of the responses.
///
/// @param attacks the attacks to measure, one after the other
public record NeighbourScenario(
        RelaySetup setup, LoadSettings load, int rate, List<NeighbourAttack> attacks)
        implements Scenario {

    private static final LatencyTolerance TOLERANCE = new LatencyTolerance(2, 20);

    /// How long an attack runs before the other source is measured.
    private static final long HEAD_START_MILLIS = 2_000;

    public static NeighbourScenario from(CommandLineOptions options) {
        return new NeighbourScenario(
                RelaySetup.from(options),
                LoadSettings.from(options),
                options.number("rate", 300),
                options.text("attack")
                        .map(name -> List.of(NeighbourAttack.named(name)))
                        .orElse(List.of(NeighbourAttack.values())));
    }

    @Override
    public BenchReport run() {
        try (var sink = SinkProcess.start()) {
            return setup.runOwn(
                    "neighbours",
                    (relay, report) -> {
                        var source =
                                relay.api()
                                        .createConnectedSource(
                                                "bench", sink.url(), load.maxInFlight());
                        LoadMeasurement.run(relay, sink, load.gently(rate, source.ingest()));
                        for (var attack : attacks) {
                            measure(attack, relay, source, sink, report);
                        }
                    });
        }
    }

    private void measure(
            NeighbourAttack attack,
            RelayProcess relay,
            BenchSource source,
            SinkProcess sink,
            BenchReport report) {
        var attacker = attack.prepare(relay.api());
        var table =
                ReportTable.of(
                        "%d/s beside: %s".formatted(rate, attack.offered()),
                        "pair | beside | answered/s | failures | ack p50 ms | ack p99 ms | foreign"
                                + " cores");
        var alone = new ArrayList<Double>();
        var beside = new ArrayList<Double>();
        for (int pair = 1; pair <= load.rounds(); pair++) {
            alone.add(window(pair, "nothing", relay, source, sink, table));
            beside.add(attacked(attack, attacker, pair, relay, source, sink, table));
        }
        report.add(table);
        double standard = LatencyTolerance.median(alone);
        double seen = LatencyTolerance.median(beside);
        report.remark(
                        "%s: median p99 of the answer %.1f ms alone, %.1f ms beside it."
                                .formatted(attack, standard, seen))
                .failUnless(
                        seen <= TOLERANCE.limit(standard),
                        "%s: the p99 was %.1f ms beside it, above %.1f"
                                .formatted(attack, seen, TOLERANCE.limit(standard)));
    }

    private double attacked(
            NeighbourAttack attack,
            BenchSource attacker,
            int pair,
            RelayProcess relay,
            BenchSource source,
            SinkProcess sink,
            ReportTable table) {
        try (var _ = attack.start(attacker)) {
            UncheckedCalls.uncheckedRun(() -> Thread.sleep(HEAD_START_MILLIS));
            return window(pair, attack.name(), relay, source, sink, table);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("the attack could not be ended", e);
        }
    }

    private double window(
            int pair,
            String beside,
            RelayProcess relay,
            BenchSource source,
            SinkProcess sink,
            ReportTable table) {
        var seen = LoadMeasurement.run(relay, sink, load.gently(rate, source.ingest()));
        var latency = seen.result().latency();
        table.row(
                pair,
                beside,
                seen.result().answeredPerSecond(),
                seen.result().failures(),
                latency.p50Ms(),
                latency.p99Ms(),
                seen.usage().foreignCores());
        return latency.p99Ms();
    }
}
