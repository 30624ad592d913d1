package dev.sluice.bench.scenario;

import dev.sluice.bench.load.LoadPattern;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.SystemUnderTest;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkBehaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;

/// The `isolation` scenario measures a source with two destinations. One of them hangs on every
/// request, which must not affect the other. With `--rows`, the scenario also runs
/// [NoisyNeighbours], which takes minutes.
public record IsolationScenario(
        RelaySetup setup, int events, Duration hang, LoadSettings load, int rows, int rate)
        implements Scenario {

    private static final Duration SENDING_TIME = Duration.ofSeconds(1);
    private static final Duration ARRIVAL_TIMEOUT = Duration.ofSeconds(3);
    private static final int MAX_IN_FLIGHT = 32;

    public static IsolationScenario from(CommandLineOptions options) {
        return new IsolationScenario(
                RelaySetup.from(options),
                options.number("events", 60),
                options.seconds("hang", 10),
                LoadSettings.from(options),
                options.number("rows", 0),
                options.number("rate", 1_000));
    }

    @Override
    public BenchReport run() {
        if (rows == 0) {
            return setup.run("isolation", this::measureBesideHanging);
        }
        return setup.runOwn(
                "isolation",
                (relay, report) -> {
                    measureBesideHanging(relay, report);
                    new NoisyNeighbours(relay, load, rate).measure(rows, hang, report);
                });
    }

    private void measureBesideHanging(SystemUnderTest system, BenchReport report) {
        try (var fast = SinkProcess.start();
                var hanging = SinkProcess.start(new SinkBehaviour.DelayedAnswers(hang))) {
            var source = system.api().createSource("bench isolation");
            system.api().connect(source, "bench hanging", hanging.url(), MAX_IN_FLIGHT);
            system.api().connect(source, "bench fast", fast.url(), MAX_IN_FLIGHT);
            var plan =
                    LoadPlan.of(new LoadPattern.ConstantRate(events), 8, source.ingest())
                            .lasting(Duration.ZERO, SENDING_TIME);
            try (var sender = LoadProcess.start(plan)) {
                sender.awaitMeasuring();
                double seconds =
                        Wait.secondsUntil(ARRIVAL_TIMEOUT, () -> fast.count().requests() >= events);
                long arrived = fast.count().requests();
                sender.awaitMeasured();
                long accepted = sender.result().acceptedInAll();
                String title =
                        "%d events over %d s beside a destination that hangs %d s"
                                .formatted(events, SENDING_TIME.toSeconds(), hang.toSeconds());
                report.add(
                                ReportTable.of(title, "destination | arrived | after s")
                                        .row("fast", arrived, seconds)
                                        .row(
                                                "hanging",
                                                hanging.count().requests(),
                                                "(not waited for)"))
                        .failUnless(
                                accepted == events,
                                "%d of %d were accepted".formatted(accepted, events))
                        .failUnless(
                                arrived >= events,
                                "only %d reached the fast one within %d s"
                                        .formatted(arrived, ARRIVAL_TIMEOUT.toSeconds()));
            }
        }
    }
}
