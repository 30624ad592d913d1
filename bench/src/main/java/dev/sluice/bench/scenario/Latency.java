package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.Role.POSTGRES;
import static dev.sluice.bench.measure.Role.RELAY;

import dev.sluice.bench.ledger.Comparison;
import dev.sluice.bench.ledger.Ledger;
import dev.sluice.bench.load.Pace;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.TemporaryDirectory;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.Api.Source;
import dev.sluice.bench.relay.Target;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Scenario `latency`: at half of what the relay can do, the time until the answer; almost idle,
/// the time from the answer to the first byte at the destination.
public final class Latency implements Scenario {

    private static final Duration DRAIN = Duration.ofMinutes(2);
    private static final double MOST_ACK_MS = 50;
    private static final double MOST_FIRST_BYTE_P50_MS = 5;
    private static final double MOST_FIRST_BYTE_P99_MS = 20;

    private final Setup setup;
    private final LoadSettings load;
    private final int maxInFlight;
    private final int rate;
    private final int idleRate;

    private Latency(Setup setup, LoadSettings load, int maxInFlight, int rate, int idleRate) {
        this.setup = setup;
        this.load = load;
        this.maxInFlight = maxInFlight;
        this.rate = rate;
        this.idleRate = idleRate;
    }

    public static Latency from(Options options) {
        return new Latency(
                Setup.from(options),
                LoadSettings.from(options),
                options.number("in-flight", 64),
                options.number("rate", 0),
                options.number("idle-rate", 50));
    }

    @Override
    public Report run() {
        try (var sink = SinkProcess.start(new Behaviour.Fast(), Optional.empty());
                var target = setup.open()) {
            var source = target.api().source("bench");
            target.api().connect(source, "bench sink", sink.url(), maxInFlight);
            var report = new Report("latency");

            var half = halfLoad(target, sink, source, report);
            var idle = almostIdle(target, report);
            report.add(half).add(idle);
            within(half, "p99", MOST_ACK_MS, report);
            within(idle, "first byte p50 ms", MOST_FIRST_BYTE_P50_MS, report);
            within(idle, "first byte p99 ms", MOST_FIRST_BYTE_P99_MS, report);
            Setup.stop(target, report);
            return report;
        }
    }

    private static void within(Table table, String column, double most, Report report) {
        double seen = table.last(column).orElse(Double.NaN);
        report.failUnless(
                seen <= most,
                "%s, %s: %.1f ms, and at most %.0f were wanted"
                        .formatted(table.title(), column, seen, most));
    }

    /// Delivered a second, back to back.
    private int maximum(Target target, SinkProcess sink, Source source, Arrivals arrivals) {
        var lap =
                Lap.run(
                        target,
                        Optional.of(sink),
                        load.plan(source.ingest(), new Pace.BackToBack()));
        arrivals.await(lap);
        return (int) lap.deliveredPerSecond();
    }

    private Table halfLoad(Target target, SinkProcess sink, Source source, Report report) {
        var arrivals = new Arrivals(sink);
        int measured = maximum(target, sink, source, arrivals); // warms it up, too
        int most = rate > 0 ? rate : measured;
        int half = Math.max(1, most / 2);
        var table =
                new Table(
                        "Even rate, half of the maximum",
                        "round",
                        "due/s",
                        "answered/s",
                        "relay+postgres µs",
                        "ack p50 ms",
                        "p90",
                        "p99",
                        "p99.9",
                        "generator late p99 ms",
                        "failures",
                        "foreign cores");
        for (int round = 1; round <= load.rounds(); round++) {
            var plan = load.plan(source.ingest(), new Pace.PerSecond(half));
            var lap = Lap.run(target, Optional.of(sink), plan);
            arrivals.await(lap);
            lap.remarkFailures("Half load, round " + round, report);
            var ack = lap.result().latency();
            table.row(
                    round,
                    half,
                    lap.result().answeredPerSecond(),
                    lap.usage().microsEach(lap.delivered(), RELAY, POSTGRES),
                    ack.p50Ms(),
                    ack.p90Ms(),
                    ack.p99Ms(),
                    ack.p999Ms(),
                    lap.result().lateness().p99Ms(),
                    lap.result().failures(),
                    lap.usage().foreignCores());
        }
        arrivals.judge(report);
        return table.medians();
    }

    /// With a sink of its own, which writes down when each event arrived.
    private Table almostIdle(Target target, Report report) {
        Path directory = TemporaryDirectory.make("sluice-bench-");
        Path sent = directory.resolve("sent");
        Path received = directory.resolve("received");
        try (var sink = SinkProcess.start(new Behaviour.Fast(), Optional.of(received))) {
            var source = target.api().source("bench idle");
            target.api().connect(source, "bench idle sink", sink.url(), maxInFlight);
            var lap =
                    Lap.run(target, Optional.of(sink), load.noted(source.ingest(), idleRate, sent));
            Wait.until(DRAIN, () -> sink.count().requests() >= lap.result().acceptedInAll());

            var sender = Ledger.read(sent);
            var receiver = Ledger.read(received);
            var comparison = Comparison.of(sender, receiver);
            report.failUnless(comparison.isClean(), "the ledgers differ: " + comparison);
            int warmUp = (int) (lap.result().acceptedInAll() - lap.answered());
            var gap = Comparison.answerToFirstByte(sender, receiver, warmUp).latency();
            lap.remarkFailures("Almost idle", report);
            var ack = lap.result().latency();
            return new Table(
                            "Almost idle: answer, and from there to the first byte at the sink",
                            "due/s",
                            "ack p50 ms",
                            "ack p99 ms",
                            "first byte p50 ms",
                            "first byte p99 ms",
                            "first byte max ms",
                            "duplicated",
                            "foreign cores")
                    .row(
                            idleRate,
                            ack.p50Ms(),
                            ack.p99Ms(),
                            gap.p50Ms(),
                            gap.p99Ms(),
                            gap.maxMs(),
                            comparison.duplicated(),
                            lap.usage().foreignCores());
        } finally {
            TemporaryDirectory.remove(directory);
        }
    }
}
