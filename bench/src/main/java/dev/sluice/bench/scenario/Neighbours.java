package dev.sluice.bench.scenario;

import dev.sluice.bench.ledger.Comparison;
import dev.sluice.bench.ledger.Ledger;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.Pace;
import dev.sluice.bench.load.Plan;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.Api.Source;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A healthy destination beside one that refuses connections, for which very many deliveries wait,
/// and one that hangs on each request. Both are paused and resumed in turn, so that the healthy one
/// is measured with and without them on the same relay.
final class Neighbours {

    private static final double SHARE = 1.25;
    private static final double MILLIS = 20;
    private static final int IN_FLIGHT = 32;

    /// Beyond the time that it all takes, so that no delivery to the dead one ends.
    private static final int RETRY = 600;

    private static final int TO_HANGING = 60;

    private final Relay relay;
    private final LoadSettings load;
    private final int rate;
    private final List<String> troubled = new ArrayList<>();
    private final List<Double> without = new ArrayList<>();
    private final List<Double> with = new ArrayList<>();

    Neighbours(Relay relay, LoadSettings load, int rate) {
        this.relay = relay;
        this.load = load;
        this.rate = rate;
    }

    void measure(int rows, Duration hang, int pairs, Report report) {
        Path received = relay.scratch("received");
        try (var healthy = SinkProcess.start(new Behaviour.Fast(), Optional.of(received));
                var dead = SinkProcess.start(new Behaviour.Refuse(), Optional.empty());
                var hanging = SinkProcess.start(new Behaviour.Hang(hang), Optional.empty())) {
            var ingest = paused("dead", dead.url()).ingest();
            long waiting = Lap.store(relay, load, ingest, rows, report);
            var slow = paused("hanging", hanging.url());
            var source = relay.api().source("source of a healthy destination");
            relay.api().connect(source, "healthy", healthy.url(), IN_FLIGHT);

            var table =
                    new Table(
                            "%d/s to a healthy destination, %d waiting for a dead one"
                                    .formatted(rate, waiting),
                            "pair",
                            "beside",
                            "ack p99 ms",
                            "first byte p50 ms",
                            "first byte p99 ms",
                            "foreign cores");
            for (int pair = 1; pair <= pairs; pair++) {
                without.add(window(pair, "nothing", source, healthy, received, table));
                change("active");
                try (var more = LoadProcess.start(toHanging(slow.ingest()))) {
                    more.awaitMeasuring();
                    with.add(window(pair, "dead and hanging", source, healthy, received, table));
                }
                change("paused");
            }
            report.add(table);
            judge(report);
        }
    }

    private Source paused(String name, URI url) {
        var source = relay.api().source("source of a " + name + " destination");
        String destination =
                relay.api()
                        .destination(
                                name,
                                url,
                                Map.of(
                                        "max_in_flight",
                                        IN_FLIGHT,
                                        "retry_policy",
                                        Map.of(
                                                "intervals_seconds",
                                                Collections.nCopies(10, RETRY))));
        relay.api().connect(source, destination, Map.of());
        troubled.add(destination);
        change("paused");
        return source;
    }

    private void change(String status) {
        troubled.forEach(destination ->
                relay.api().change("destinations/" + destination, Map.of("status", status)));
    }

    private Plan toHanging(URI ingest) {
        return new Plan(
                ingest,
                new Pace.PerSecond(TO_HANGING),
                8,
                load.size(),
                Duration.ZERO,
                Duration.ofHours(1),
                Optional.empty(),
                Optional.empty());
    }

    /// The p99 of the time from the answer to the first byte at the healthy one, in milliseconds.
    private double window(
            int pair,
            String beside,
            Source source,
            SinkProcess healthy,
            Path received,
            Table table) {
        Path sent = relay.scratch("sent-%d-%s".formatted(pair, beside.replace(' ', '-')));
        long before = healthy.count().requests();
        var lap = Lap.run(relay, Optional.of(healthy), load.noted(source.ingest(), rate, sent));
        Wait.until(
                Duration.ofMinutes(1),
                () -> healthy.count().requests() >= before + lap.result().acceptedInAll());
        int warmUp = (int) (lap.result().acceptedInAll() - lap.answered());
        var gap =
                Comparison.answerToFirstByte(Ledger.read(sent), Ledger.read(received), warmUp)
                        .latency();
        table.row(
                pair,
                beside,
                lap.result().latency().p99Ms(),
                gap.p50Ms(),
                gap.p99Ms(),
                lap.usage().foreignCores());
        return gap.p99Ms();
    }

    private void judge(Report report) {
        double standard = median(without);
        double seen = median(with);
        double most = Math.max(standard * SHARE, standard + MILLIS);
        report.remark(
                "Median p99 of the first byte: %.1f ms beside nothing, %.1f ms beside them."
                        .formatted(standard, seen));
        report.failUnless(
                seen <= most,
                "the healthy one's p99 was %.1f ms beside them, at most %.1f were wanted"
                        .formatted(seen, most));
    }

    private static double median(List<Double> numbers) {
        return numbers.stream().sorted().toList().get(numbers.size() / 2);
    }
}
