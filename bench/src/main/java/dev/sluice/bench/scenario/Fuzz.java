package dev.sluice.bench.scenario;

import dev.sluice.bench.fuzz.Document;
import dev.sluice.bench.fuzz.Volley;
import dev.sluice.bench.measure.LiveHeap;
import dev.sluice.bench.measure.Role;
import dev.sluice.bench.platform.Http;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.relay.Target;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;

import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;

/// Scenario `fuzz`: requests made from the relay's own OpenAPI document, valid and broken. None may
/// be answered with a fault of the relay's or with anything that the document does not foresee, and
/// what the relay keeps in memory must not grow.
public final class Fuzz implements Scenario {

    /// What may be kept alive more at the end: what was made meanwhile, and caches.
    private static final double GROWTH_ALLOWED_MB = 16;

    /// The first part is to fill caches and compile code; memory is measured from its end on.
    private static final int WARM_UP_SHARE = 5;

    private final Setup setup;
    private final int requests;
    private final int seed;
    private final int connections;
    private final Duration most;

    private Fuzz(Setup setup, int requests, int seed, int connections, Duration most) {
        this.setup = setup;
        this.requests = requests;
        this.seed = seed;
        this.connections = connections;
        this.most = most;
    }

    public static Fuzz from(Options options) {
        return new Fuzz(
                Setup.from(options),
                options.number("requests", 20_000),
                options.number("seed", 1),
                options.number("connections", 8),
                options.seconds("seconds", 900));
    }

    @Override
    public Report run() {
        try (var target = setup.open()) {
            var base = target.api().base();
            var answer = Http.get(base.resolve("/api/openapi.json"));
            var document = Document.parse(answer.body());
            var volley = new Volley(base, document, target.api().key(), seed).prepare();

            int warmUp = requests / WARM_UP_SHARE;
            volley.run(0, warmUp, connections, most.dividedBy(WARM_UP_SHARE));
            var before = heap(target);
            volley.run(warmUp, requests, connections, most);
            var after = heap(target);

            var report = report(volley, document.operations().size());
            if (before.isPresent() && after.isPresent()) {
                add(report, before.get(), after.get());
            }
            Setup.stop(target, report);
            return report;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static Optional<LiveHeap> heap(Target target) {
        return Optional.ofNullable(target.processes().get(Role.RELAY)).map(LiveHeap::of);
    }

    private Report report(Volley volley, int operations) {
        var report = new Report("fuzz");
        report.add(statuses(volley)).add(kinds(volley)).add(operations(volley));
        report.remark(
                "Seed %d: %d requests to %d operations over %d connections."
                        .formatted(seed, volley.sent(), operations, connections));
        report.failUnless(
                volley.sent() >= requests, "only " + volley.sent() + " requests were sent in time");
        report.failUnless(volley.faulty() == 0, volley.faulty() + " answers had a fault");
        volley.faults()
                .forEach((fault, example) -> report.failUnless(false, fault + "\n  " + example));
        return report;
    }

    private static Table statuses(Volley volley) {
        var sums = new TreeMap<String, Integer>();
        volley.answers().forEach((name, n) -> sums.merge(name.split(" ", 2)[1], n, Integer::sum));
        var table = new Table("Answers by status", "status", "answers");
        sums.forEach(table::row);
        return table;
    }

    private static Table kinds(Volley volley) {
        var table = new Table("Requests by what is wrong with them", "what", "requests");
        volley.kinds().forEach(table::row);
        return table;
    }

    private static Table operations(Volley volley) {
        var sums = new TreeMap<String, int[]>();
        volley.answers()
                .forEach((name, n) -> {
                    String[] words = name.split(" ", 2);
                    int[] row = sums.computeIfAbsent(words[0], _ -> new int[5]);
                    row[0] += n;
                    int hundreds = words[1].charAt(0) - '0';
                    if (hundreds >= 2 && hundreds <= 5) {
                        row[hundreds - 1] += n;
                    }
                });
        var table =
                new Table("Answers by operation", "operation", "all", "2xx", "3xx", "4xx", "5xx");
        sums.forEach((name, row) -> table.row(name, row[0], row[1], row[2], row[3], row[4]));
        return table;
    }

    private static void add(Report report, LiveHeap before, LiveHeap after) {
        report.add(
                new Table("Memory of the relay", "when", "live heap MiB", "resident MiB")
                        .row("after the first fifth", before.megabytes(), before.resident())
                        .row("at the end", after.megabytes(), after.resident()));
        double growth = after.megabytes() - before.megabytes();
        report.failUnless(
                growth <= GROWTH_ALLOWED_MB, "the live heap grew by %.1f MiB".formatted(growth));
    }
}
