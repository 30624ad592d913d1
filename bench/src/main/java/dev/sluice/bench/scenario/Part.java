package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.Role.GENERATOR;
import static dev.sluice.bench.measure.Role.POSTGRES;
import static dev.sluice.bench.measure.Role.RELAY;
import static dev.sluice.bench.measure.Role.SINK;

import dev.sluice.bench.load.Pace;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.Target;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.SinkProcess;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// One of several that are measured in turn, with what it did so far. Back to back, the full cycle.
final class Part {

    private static final Duration DRAIN = Duration.ofMinutes(2);

    private final String title;
    private final LoadSettings load;
    private final URI ingest;
    private final Target target;
    private final SinkProcess sink;
    private final Optional<String> secret;
    private final Table table;

    Part(String title, LoadSettings load, URI ingest, Target target, SinkProcess sink) {
        this(title, load, ingest, target, sink, Optional.empty());
    }

    /// @param sink may be shared with parts that are not measured at the same time
    /// @param secret that signs what is sent
    Part(
            String title,
            LoadSettings load,
            URI ingest,
            Target target,
            SinkProcess sink,
            Optional<String> secret) {
        this.title = title;
        this.load = load;
        this.ingest = ingest;
        this.target = target;
        this.sink = sink;
        this.secret = secret;
        this.table =
                new Table(
                        title,
                        "round",
                        "answered/s",
                        "delivered/s",
                        "pipeline µs",
                        "postgres µs",
                        "pipeline+postgres µs",
                        "generator µs",
                        "sink µs",
                        "ack p50 ms",
                        "p99",
                        "failures",
                        "foreign cores");
    }

    String title() {
        return title;
    }

    /// As many rounds of them as the load says, to and fro: what a lap leaves to be tidied up falls
    /// on another one each time.
    static void toAndFro(List<Part> parts, Report report) {
        for (int round = 1; round <= parts.getFirst().load.rounds(); round++) {
            for (var part : round % 2 == 0 ? parts.reversed() : parts) {
                part.round(round, report);
            }
        }
    }

    void round(int round, Report report) {
        long before = sink.count().requests();
        var plan = load.plan(ingest, new Pace.BackToBack(), secret);
        var lap = Lap.run(target, Optional.of(sink), plan);
        lap.remarkFailures(title + ", round " + round, report);
        table.row(
                round,
                lap.result().answeredPerSecond(),
                lap.deliveredPerSecond(),
                lap.usage().microsEach(lap.delivered(), RELAY),
                lap.usage().microsEach(lap.delivered(), POSTGRES),
                lap.usage().microsEach(lap.delivered(), RELAY, POSTGRES),
                lap.usage().microsEach(lap.answered(), GENERATOR),
                lap.usage().microsEach(lap.delivered(), SINK),
                lap.result().latency().p50Ms(),
                lap.result().latency().p99Ms(),
                lap.result().failures(),
                lap.usage().foreignCores());
        long expected = before + lap.result().acceptedInAll();
        boolean arrived = Wait.until(DRAIN, () -> sink.count().requests() >= expected);
        report.failUnless(arrived, title + ": not all that was accepted arrived");
    }

    /// CPU of pipeline and database an event, in the newest round.
    double micros() {
        return table.last("pipeline+postgres µs").orElse(Double.NaN);
    }

    /// All rounds, with their medians; to be asked once.
    Table medians() {
        return table.medians();
    }
}
