package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.ProcessRole.POSTGRES;
import static dev.sluice.bench.measure.ProcessRole.RELAY;
import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;
import java.util.EnumSet;

/// The `warmup` scenario measures a relay, from ingest to delivery, a few seconds after a cold
/// start, and again on the same process after more time at full load (by default, a minute). This
/// shows how fast a relay is while the JVM is still compiling its code.
///
/// @param load the load; its warm-up is the time at full load before each measurement
/// @param settling the time at full load between the two measurements
public record WarmUpScenario(RelaySetup setup, LoadSettings load, Duration settling)
        implements Scenario {

    private static final Goal COLD_SHARE =
            new Goal("Delivered a second after the cold start / warm, median", 0.8, 0.7);

    public static WarmUpScenario from(CommandLineOptions options) {
        return new WarmUpScenario(
                RelaySetup.from(options),
                LoadSettings.from(options, 6, 5),
                options.seconds("settling", 60));
    }

    @Override
    public BenchReport run() {
        try (var sink = SinkProcess.start()) {
            return setup.runOwn("warmup", (relay, report) -> measure(relay, sink, report));
        }
    }

    private void measure(RelayProcess relay, SinkProcess sink, BenchReport report) {
        var source = relay.api().createConnectedSource("bench", sink.url(), load.maxInFlight());
        var plan = load.backToBack(source.ingest());
        var arrivals = new SinkArrivals(sink);
        var cold = table("cold start");
        var warm = table("%d s at full load".formatted(settling.toSeconds()));
        var shares = ReportTable.of("Cold / warm", "round | delivered a second | CPU an event");
        for (int round = 1; round <= load.rounds(); round++) {
            RelaySetup.stopAndCheck(relay, report);
            relay.restart();
            var first = LoadMeasurement.run(relay, sink, plan);
            arrivals.awaitAll(first);
            arrivals.awaitAll(
                    LoadMeasurement.run(
                            relay, sink, plan.lasting(settling, Duration.ofSeconds(1))));
            var second = LoadMeasurement.run(relay, sink, plan);
            arrivals.awaitAll(second);
            cold.row(round, first);
            warm.row(round, second);
            shares.row(
                    round,
                    first.deliveredPerSecond() / second.deliveredPerSecond(),
                    micros(first) / micros(second));
        }
        report.add(cold.table().medians()).add(warm.table().medians()).add(shares.medians());
        COLD_SHARE.judge(shares.last("delivered a second").orElse(Double.NaN), report);
        arrivals.check(report);
    }

    private static double micros(LoadMeasurement measurement) {
        return measurement
                .usage()
                .microsPerEvent(measurement.events(), RELAY, POSTGRES)
                .orElse(Double.NaN);
    }

    private MeasurementTable table(String past) {
        String title =
                "From %d s after %s, %s".formatted(load.warmUp().toSeconds(), past, load.title());
        return new MeasurementTable(
                title,
                "round",
                EnumSet.of(ANSWERED_RATE, DELIVERED_RATE, TOTAL_CPU, ACK_P50, ACK_P99));
    }
}
