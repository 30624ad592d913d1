package dev.sluice.bench.scenario;

import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.Pace;
import dev.sluice.bench.load.Plan;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.Target;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;
import java.util.Optional;

/// Scenario `isolation`: one source, two destinations; one hangs on every request, the other must
/// not notice. With `--rows`, also [Neighbours], which takes minutes.
public final class Isolation implements Scenario {

    private static final Duration SENDING = Duration.ofSeconds(1);
    private static final Duration ALLOWED = Duration.ofSeconds(3);
    private static final int DEFAULT_IN_FLIGHT = 32;

    private final Setup setup;
    private final int events;
    private final Duration hang;
    private final LoadSettings load;
    private final int rows;
    private final int rate;

    private Isolation(
            Setup setup, int events, Duration hang, LoadSettings load, int rows, int rate) {
        this.setup = setup;
        this.events = events;
        this.hang = hang;
        this.load = load;
        this.rows = rows;
        this.rate = rate;
    }

    public static Isolation from(Options options) {
        return new Isolation(
                Setup.from(options),
                options.number("events", 60),
                options.seconds("hang", 10),
                LoadSettings.from(options),
                options.number("rows", 0),
                options.number("rate", 1_000));
    }

    @Override
    public Report run() {
        var report = new Report("isolation");
        if (rows == 0) {
            try (var target = setup.open()) {
                beside(target, report);
                Setup.stop(target, report);
            }
        } else {
            try (var relay = setup.openOwn()) {
                beside(relay, report);
                new Neighbours(relay, load, rate).measure(rows, hang, load.rounds(), report);
                Setup.stop(relay, report);
            }
        }
        return report;
    }

    private void beside(Target target, Report report) {
        try (var fast = SinkProcess.start(new Behaviour.Fast(), Optional.empty());
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
                report.add(table)
                        .failUnless(
                                result.acceptedInAll() == events,
                                result.acceptedInAll() + " of " + events + " were accepted")
                        .failUnless(
                                inTime,
                                "only %d reached the fast one within %d s"
                                        .formatted(arrived, ALLOWED.toSeconds()));
            }
        }
    }
}
