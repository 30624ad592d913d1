package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.Role.GENERATOR;
import static dev.sluice.bench.measure.Role.POSTGRES;
import static dev.sluice.bench.measure.Role.RELAY;
import static dev.sluice.bench.measure.Role.SINK;

import dev.sluice.bench.ledger.Comparison;
import dev.sluice.bench.ledger.Ledger;
import dev.sluice.bench.load.Pace;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.Api.Source;
import dev.sluice.bench.relay.Target;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Scenario `relay`: in, stored, out again, to one destination that answers at once.
///
/// First as fast as it goes, then at half of that for the latency of the answer, then almost idle
/// for the time from the answer to the first byte at the destination.
public final class FullCycle implements Scenario {

    private static final Duration DRAIN = Duration.ofMinutes(2);

    private final Setup setup;
    private final LoadSettings load;
    private final int maxInFlight;
    private final int idleRate;
    private long expected;

    private FullCycle(Setup setup, LoadSettings load, int maxInFlight, int idleRate) {
        this.setup = setup;
        this.load = load;
        this.maxInFlight = maxInFlight;
        this.idleRate = idleRate;
    }

    public static FullCycle from(Options options) {
        return new FullCycle(
                Setup.from(options),
                LoadSettings.from(options),
                options.number("in-flight", 64),
                options.number("idle-rate", 50));
    }

    @Override
    public Report run() {
        try (var sink = SinkProcess.start(new Behaviour.Fast(), Optional.empty());
                var target = setup.open()) {
            var source = target.api().source("bench");
            target.api().connect(source, "bench sink", sink.url(), maxInFlight);
            var report = new Report("relay");

            var full = fullLoad(target, sink, source, report);
            double half = full.last("answered/s").orElse(0) / 2;
            report.add(full);
            report.add(halfLoad(target, sink, source, Math.max(1, (int) half), report));
            report.add(almostIdle(target, report));

            long arrived = sink.count().requests();
            report.remark("Accepted %d, arrived %d.".formatted(expected, arrived));
            report.failUnless(arrived >= expected, "not all that was accepted arrived");
            Setup.stop(target, report);
            return report;
        }
    }

    private Table fullLoad(Target target, SinkProcess sink, Source source, Report report) {
        var table =
                new Table(
                        "Back to back, %d connections, %d bytes"
                                .formatted(load.connections(), load.size()),
                        "round",
                        "answered/s",
                        "delivered/s",
                        "relay µs",
                        "postgres µs",
                        "relay+postgres µs",
                        "generator µs",
                        "sink µs",
                        "ack p50 ms",
                        "p90",
                        "p99",
                        "p99.9",
                        "drain s",
                        "failures",
                        "foreign cores");
        for (int round = 1; round <= load.rounds(); round++) {
            var plan = load.plan(source.ingest(), new Pace.BackToBack());
            var lap = Lap.run(target, Optional.of(sink), plan);
            lap.remarkFailures("Round " + round, report);
            var ack = lap.result().latency();
            table.row(
                    round,
                    lap.result().answeredPerSecond(),
                    lap.deliveredPerSecond(),
                    lap.usage().microsEach(lap.delivered(), RELAY),
                    lap.usage().microsEach(lap.delivered(), POSTGRES),
                    lap.usage().microsEach(lap.delivered(), RELAY, POSTGRES),
                    lap.usage().microsEach(lap.answered(), GENERATOR),
                    lap.usage().microsEach(lap.delivered(), SINK),
                    ack.p50Ms(),
                    ack.p90Ms(),
                    ack.p99Ms(),
                    ack.p999Ms(),
                    drain(sink, lap),
                    lap.result().failures(),
                    lap.usage().foreignCores());
        }
        return table.medians();
    }

    private Table halfLoad(
            Target target, SinkProcess sink, Source source, int rate, Report report) {
        var plan = load.plan(source.ingest(), new Pace.PerSecond(rate));
        var lap = Lap.run(target, Optional.of(sink), plan);
        drain(sink, lap);
        lap.remarkFailures("Half load", report);
        var ack = lap.result().latency();
        return new Table(
                        "Half load, even rate",
                        "due/s",
                        "answered/s",
                        "relay+postgres µs",
                        "ack p50 ms",
                        "p90",
                        "p99",
                        "p99.9",
                        "generator late p99 ms",
                        "failures",
                        "foreign cores")
                .row(
                        rate,
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

    /// With a sink of its own, which writes down when each event arrived.
    private Table almostIdle(Target target, Report report) {
        Path directory = temporaryDirectory();
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
            remove(sent);
            remove(received);
            remove(directory);
        }
    }

    /// Seconds until everything accepted so far has arrived.
    private double drain(SinkProcess sink, Lap lap) {
        expected += lap.result().acceptedInAll();
        long start = System.nanoTime();
        Wait.until(DRAIN, () -> sink.count().requests() >= expected);
        return (System.nanoTime() - start) / 1e9;
    }

    private static Path temporaryDirectory() {
        try {
            return Files.createTempDirectory("sluice-bench-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void remove(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
