package dev.sluice.faults.fuzz;

import dev.sluice.bench.measure.LiveHeap;
import dev.sluice.bench.measure.ProcessRole;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.SimpleHttpClient;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.relay.SystemUnderTest;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.scenario.RelaySetup;
import dev.sluice.bench.scenario.Scenario;
import dev.sluice.contract.OpenApiDocument;

import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;

/// The `fuzz` scenario, which sends valid and broken requests generated from the relay's own
/// OpenAPI document. The document must describe every response, no response may be a 5xx (except a
/// source's custom response), and the relay's live heap may grow only a little.
public record FuzzScenario(
        RelaySetup setup, int requests, int seed, int connections, Duration maxTime)
        implements Scenario {

    /// The maximum growth of the live heap. It leaves room for caches and for the objects that the
    /// run creates.
    private static final double MAX_HEAP_GROWTH_MIB = 16;

    /// The first `requests / WARM_UP_DIVISOR` requests are the warm-up, which fills caches and lets
    /// the JIT compiler work. Heap growth is measured from the end of the warm-up to the end of the
    /// run.
    private static final int WARM_UP_DIVISOR = 5;

    public static FuzzScenario from(CommandLineOptions options) {
        return new FuzzScenario(
                RelaySetup.from(options),
                options.number("requests", 20_000),
                options.number("seed", 1),
                options.number("connections", 8),
                options.seconds("seconds", 900));
    }

    @Override
    public BenchReport run() {
        return setup.run("fuzz", this::fuzz);
    }

    private void fuzz(SystemUnderTest system, BenchReport report) {
        var base = system.api().base();
        var answer = SimpleHttpClient.get(base.resolve("/api/openapi.json"));
        var document = OpenApiDocument.parse(answer.body());
        var credentials =
                FuzzCredentials.signIn(
                        base, system.api().key(), RelayApi.OWNER_EMAIL, RelayApi.OWNER_PASSWORD);
        if (credentials.session().isEmpty()) {
            report.remark("Without a session: the relay has another owner than those we start.");
        }
        var runner = new FuzzRunner(base, document, credentials, seed).prepare();

        int warmUp = requests / WARM_UP_DIVISOR;
        runner.run(0, warmUp, connections, maxTime.dividedBy(WARM_UP_DIVISOR));
        var before = heap(system);
        runner.run(warmUp, requests, connections, maxTime);
        var after = heap(system);

        add(report, runner, FuzzRequestGenerator.operations(document).size());
        if (before.isPresent() && after.isPresent()) {
            add(report, before.get(), after.get());
        }
    }

    private static Optional<LiveHeap> heap(SystemUnderTest system) {
        return Optional.ofNullable(system.processes().get(ProcessRole.RELAY)).map(LiveHeap::of);
    }

    private void add(BenchReport report, FuzzRunner runner, int operations) {
        report.add(statuses(runner));
        var kinds = ReportTable.of("Requests by what is wrong with them", "what | requests");
        runner.kinds().forEach(kinds::row);
        report.add(kinds).add(operations(runner));
        report.remark(
                "Seed %d: %d requests to %d operations over %d connections."
                        .formatted(seed, runner.sent(), operations, connections));
        report.failUnless(
                runner.sent() >= requests, "only " + runner.sent() + " requests were sent in time");
        report.failUnless(
                runner.faultyAnswers() == 0, runner.faultyAnswers() + " answers had a fault");
        runner.faults()
                .forEach((fault, example) -> report.failUnless(false, fault + "\n  " + example));
    }

    private static ReportTable statuses(FuzzRunner runner) {
        var sums = new TreeMap<String, Integer>();
        runner.answers().forEach((name, n) -> sums.merge(name.split(" ", 2)[1], n, Integer::sum));
        var table = ReportTable.of("Answers by status", "status | answers");
        sums.forEach(table::row);
        return table;
    }

    private static ReportTable operations(FuzzRunner runner) {
        var sums = new TreeMap<String, int[]>();
        runner.answers()
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
                ReportTable.of("Answers by operation", "operation | all | 2xx | 3xx | 4xx | 5xx");
        sums.forEach((name, row) -> table.row(name, row[0], row[1], row[2], row[3], row[4]));
        return table;
    }

    private static void add(BenchReport report, LiveHeap before, LiveHeap after) {
        report.add(
                ReportTable.of("Memory of the relay", "when | live heap MiB | resident MiB")
                        .row("after the first fifth", before.megabytes(), before.resident())
                        .row("at the end", after.megabytes(), after.resident()));
        double growth = after.megabytes() - before.megabytes();
        report.failUnless(
                growth <= MAX_HEAP_GROWTH_MIB, "the live heap grew by %.1f MiB".formatted(growth));
    }
}
