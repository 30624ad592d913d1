package dev.sluice.bench;

import dev.sluice.bench.measure.Machine;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.scenario.Candidates;
import dev.sluice.bench.scenario.Crash;
import dev.sluice.bench.scenario.Drain;
import dev.sluice.bench.scenario.Features;
import dev.sluice.bench.scenario.FullCycle;
import dev.sluice.bench.scenario.Fuzz;
import dev.sluice.bench.scenario.IngestOnly;
import dev.sluice.bench.scenario.Isolation;
import dev.sluice.bench.scenario.Latency;
import dev.sluice.bench.scenario.Limit;
import dev.sluice.bench.scenario.Lists;
import dev.sluice.bench.scenario.Pair;
import dev.sluice.bench.scenario.Scenario;
import dev.sluice.bench.scenario.Soak;
import dev.sluice.bench.scenario.Start;

import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Runs one scenario from the repository's root, as `bench/run` does.
///
/// Exits 0 when it passed, 1 when it failed, 2 when the command line cannot be run.
public final class Bench {

    private static final Path RESULTS = Path.of("bench", "results");

    private static final String SCENARIOS =
            "relay|pair|limit|candidates|latency|features|ingest|drain|soak|start|crash|isolation|lists"
                + "|fuzz";

    /// Their values are secret or say where something lies.
    private static final Set<String> UNPRINTED = Set.of("--key", "--sluice", "--against");

    private Bench() {}

    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments)));
    }

    private static int run(List<String> arguments) {
        try {
            if (arguments.isEmpty()) {
                throw new UsageException("bench/run %s [options]".formatted(SCENARIOS));
            }
            var options = Options.parse(arguments.subList(1, arguments.size()));
            boolean save = !options.flag("no-save");
            Scenario scenario = scenario(arguments.getFirst(), options);
            options.finish();

            Report report = scenario.run();
            System.out.print(report.plain());
            if (save) {
                var today = LocalDate.now(ZoneOffset.UTC);
                report.save(RESULTS, today, command(arguments), Machine.here());
            }
            return report.isGood() ? 0 : 1;
        } catch (UsageException e) {
            System.err.println(e.getMessage());
            return 2;
        }
    }

    private static Scenario scenario(String name, Options options) {
        return switch (name) {
            case "relay" -> FullCycle.from(options);
            case "pair" -> Pair.from(options);
            case "limit" -> Limit.from(options);
            case "candidates" -> Candidates.from(options);
            case "latency" -> Latency.from(options);
            case "drain" -> Drain.from(options);
            case "soak" -> Soak.from(options);
            case "start" -> Start.from(options);
            case "features" -> Features.from(options);
            case "ingest" -> IngestOnly.from(options);
            case "crash" -> Crash.from(options);
            case "fuzz" -> Fuzz.from(options);
            case "isolation" -> Isolation.from(options);
            case "lists" -> Lists.from(options);
            default -> throw new UsageException("no such scenario: " + name);
        };
    }

    private static String command(List<String> arguments) {
        var words = new ArrayList<String>(List.of("bench/run"));
        for (int at = 0; at < arguments.size(); at++) {
            boolean isPrinted = at == 0 || !UNPRINTED.contains(arguments.get(at - 1));
            words.add(isPrinted ? arguments.get(at) : "…");
        }
        return String.join(" ", words);
    }
}
