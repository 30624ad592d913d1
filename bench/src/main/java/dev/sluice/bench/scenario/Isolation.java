package dev.sluice.bench.scenario;

import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.Pace;
import dev.sluice.bench.load.Plan;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;
import java.util.Optional;

/// Scenario `isolation`: one source, two destinations; one hangs on every request, the other must
/// not notice.
public final class Isolation implements Scenario {

    private static final Duration SENDING = Duration.ofSeconds(1);
    private static final Duration ALLOWED = Duration.ofSeconds(3);
    private static final int DEFAULT_IN_FLIGHT = 32;

    private final Setup setup;
    private final int events;
    private final Duration hang;

    private Isolation(Setup setup, int events, Duration hang) {
        this.setup = setup;
        this.events = events;
        this.hang = hang;
    }

    public static Isolation from(Options options) {
        return new Isolation(
                Setup.from(options), options.number("events", 60), options.seconds("hang", 10));
    }

    @Override
    public Report run() {
        try (var target = setup.open();
                var fast = SinkProcess.start(new Behaviour.Fast(), Optional.empty());
                var hanging = SinkProcess.start(new Behaviour.Hang(hang), Optional.empty())) {
            var source = target.api().source("bench isolation");
            target.api().connect(source, "bench hanging", hanging.url(), DEFAULT_IN_FLIGHT);
            target.api().connect(source, "bench fast", fast.url(), DEFAULT_IN_FLIGHT);

            var plan =
                    new Plan(
                            source.ingest(),
                            new Pace.PerSecond(events),
                            8,
                            1024,
                            Duration.ZERO,
                            SENDING,
                            Optional.empty(),
                            Optional.empty());
            try (var load = LoadProcess.start(plan)) {
                load.awaitMeasuring();
                long start = System.nanoTime();
                boolean inTime = Wait.until(ALLOWED, () -> fast.count().requests() >= events);
                double seconds = (System.nanoTime() - start) / 1e9;
                long arrived = fast.count().requests();
                load.awaitMeasured();
                var result = load.result();
                var table =
                        new Table(
                                        "%d events over %d s beside a destination that hangs %d s"
                                                .formatted(
                                                        events,
                                                        SENDING.toSeconds(),
                                                        hang.toSeconds()),
                                        "destination",
                                        "arrived",
                                        "after s")
                                .row("fast", arrived, seconds)
                                .row("hanging", hanging.count().requests(), "(not waited for)");
                var report =
                        new Report("isolation")
                                .add(table)
                                .failUnless(
                                        result.acceptedInAll() == events,
                                        result.acceptedInAll() + " of " + events + " were accepted")
                                .failUnless(
                                        inTime,
                                        "only %d reached the fast one within %d s"
                                                .formatted(arrived, ALLOWED.toSeconds()));
                Setup.stop(target, report);
                return report;
            }
        }
    }
}
