package dev.sluice.bench;

import dev.sluice.bench.operate.DashboardQueriesScenario;
import dev.sluice.bench.operate.ProxiedStreamScenario;
import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.scenario.DiskScenario;
import dev.sluice.bench.scenario.DrainScenario;
import dev.sluice.bench.scenario.FeaturesScenario;
import dev.sluice.bench.scenario.IdleScenario;
import dev.sluice.bench.scenario.IsolationScenario;
import dev.sluice.bench.scenario.LatencyScenario;
import dev.sluice.bench.scenario.LimitScenario;
import dev.sluice.bench.scenario.ListsScenario;
import dev.sluice.bench.scenario.MemoryScenario;
import dev.sluice.bench.scenario.NeighbourScenario;
import dev.sluice.bench.scenario.PairScenario;
import dev.sluice.bench.scenario.Scenario;
import dev.sluice.bench.scenario.ScenarioRunner;
import dev.sluice.bench.scenario.SignInScenario;
import dev.sluice.bench.scenario.SoakScenario;
import dev.sluice.bench.scenario.StartScenario;
import dev.sluice.bench.scenario.StreamsScenario;
import dev.sluice.bench.scenario.ThroughputScenario;
import dev.sluice.bench.scenario.TransferScenario;
import dev.sluice.bench.scenario.TrickleScenario;
import dev.sluice.bench.scenario.WarmUpScenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// The main class that `bench/run` starts for every scenario except `crash`, `fuzz` and `simulate`.
/// It runs one scenario, and must be started from the repository's root directory.
///
/// Exits with 0 if the scenario passed, 1 if it failed, and 2 if the command line is invalid.
public final class Bench {

    private static final Map<String, Function<CommandLineOptions, Scenario>> SCENARIOS =
            scenarios();

    private Bench() {}

    public static void main(String[] arguments) {
        System.exit(ScenarioRunner.run("bench/run", List.of(arguments), Bench::choose));
    }

    private static Map<String, Function<CommandLineOptions, Scenario>> scenarios() {
        var all = new LinkedHashMap<String, Function<CommandLineOptions, Scenario>>();
        all.put("relay", options -> ThroughputScenario.from("relay", options));
        all.put("pair", PairScenario::from);
        all.put("limit", LimitScenario::from);
        all.put("latency", LatencyScenario::from);
        all.put("features", FeaturesScenario::from);
        all.put("ingest", options -> ThroughputScenario.from("ingest", options));
        all.put("drain", DrainScenario::from);
        all.put("soak", SoakScenario::from);
        all.put("idle", IdleScenario::from);
        all.put("trickle", TrickleScenario::from);
        all.put("disk", DiskScenario::from);
        all.put("memory", MemoryScenario::from);
        all.put("warmup", WarmUpScenario::from);
        all.put("start", StartScenario::from);
        all.put("isolation", IsolationScenario::from);
        all.put("neighbours", NeighbourScenario::from);
        all.put("sign-in", SignInScenario::from);
        all.put("streams", StreamsScenario::from);
        all.put("lists", ListsScenario::from);
        all.put("transfer", TransferScenario::from);
        all.put("nginx", ProxiedStreamScenario::from);
        all.put("dashboard-queries", DashboardQueriesScenario::from);
        return all;
    }

    private static Scenario choose(List<String> names, CommandLineOptions options) {
        var scenario = names.size() == 1 ? SCENARIOS.get(names.getFirst()) : null;
        if (scenario == null) {
            throw new CommandLineException(
                    "bench/run %s|crash|fuzz|simulate [options]"
                            .formatted(String.join("|", SCENARIOS.keySet())));
        }
        return scenario.apply(options);
    }
}
