package dev.sluice.faults;

import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.scenario.Scenario;
import dev.sluice.bench.scenario.ScenarioRunner;
import dev.sluice.faults.fuzz.FuzzScenario;

import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The main class behind `bench/faults`, `bench/run crash` and `bench/run fuzz`: runs fault tests
/// one after another.
///
/// Exits with 0 if all criteria were met, 1 if not, and 2 if the command line is invalid. A fault
/// that cannot run on this machine is reported and skipped.
public final class Faults {

    /// The scenarios that `bench/run` starts.
    private static final Set<String> SCENARIOS = Set.of("crash", "fuzz");

    private static final Map<String, FaultTrial> TRIALS = all();

    private Faults() {}

    public static void main(String[] arguments) {
        var words = List.of(arguments);
        boolean isScenario = !words.isEmpty() && SCENARIOS.contains(words.getFirst());
        String launcher = isScenario ? "bench/run" : "bench/faults";
        System.exit(ScenarioRunner.run(launcher, words, Faults::choose));
    }

    private static Map<String, FaultTrial> all() {
        var all = new LinkedHashMap<String, FaultTrial>();
        put(all, "1 relay kill -9 under load", new RelayKillFault());
        put(all, "2 single node kill -9 and restart", new SingleRelayKillFault());
        put(all, new ServerTestTrial("3 kill at every race point", "CrashPointTest", 50));
        put(all, "4 PostgreSQL kill -9", new PostgresKillFault());
        put(all, "5 crash of a PostgreSQL session, EIO on a WAL flush", new PostgresCrashFault());
        put(
                all,
                new ServerTestTrial(
                        "6 commit outcome unknown", "JournalTest,ResultJournalTest", 50));
        put(all, "7 SIGSTOP zombie node", new FrozenRelayFault());
        put(all, "8 CPU starvation", new CpuStarvationFault());
        put(all, "9 network partition between node and database", new NetworkPartitionFault());
        put(all, "10 slow database", new SlowDatabaseFault());
        put(all, "12 disk full on data", new FullDiskFault(false));
        put(all, "13 disk full on WAL", new FullDiskFault(true));
        put(all, "14 dead destination with a backlog", new DeadDestinationFault());
        put(all, "15 recovery of a destination with a backlog", new DestinationRecoveryFault());
        put(all, "17 flapping sinks", new FlappingSinksFault());
        put(all, "19 pinned horizon", new HeldSnapshotFault());
        put(all, "20 clock skew", new ClockSkewFault());
        put(
                all,
                "21 roll-over with the next partition missing, and removal of a day that is read",
                new PartitionRolloverFault());
        put(all, "23 rolling restart", new RollingRestartFault());
        put(
                all,
                "24 bodies that never end",
                new AttackedNeighbourFault(UnfinishedBodySenders::start));
        put(all, "25 dismissal and resend of a million dead letters", new DeadLetterFault());
        all.put("nodes", new ScalingTrial());
        var kills = "short: kill -9 of the relay, then of PostgreSQL";
        all.put("short", new FaultTrial.UnderLoadTrial(kills, FaultSequence.shortRun()));
        return all;
    }

    private static void put(Map<String, FaultTrial> all, String title, Fault fault) {
        put(all, new FaultTrial.UnderLoadTrial(title, fault));
    }

    /// Adds a trial under the number at the beginning of its title.
    private static void put(Map<String, FaultTrial> all, FaultTrial trial) {
        all.put(trial.title().split(" ", 2)[0], trial);
    }

    private static Scenario choose(List<String> names, CommandLineOptions options) {
        return switch (names.isEmpty() ? "" : names.getFirst()) {
            case "crash" -> CrashFault.from(options);
            case "fuzz" -> FuzzScenario.from(options);
            default -> {
                var chosen = selectTrials(names);
                var requested = FaultOptions.from(options);
                var wanted = names.contains("short") ? requested.minimal() : requested;
                yield () -> run(chosen, wanted);
            }
        };
    }

    private static List<String> selectTrials(List<String> names) {
        if (names.isEmpty()) {
            throw new CommandLineException(
                    "bench/faults all|N… [options], N one of "
                            + String.join(", ", TRIALS.keySet()));
        }
        var chosen = new LinkedHashSet<String>();
        for (String name : names) {
            if (name.equals("all")) {
                TRIALS.keySet().stream().filter(each -> !each.equals("short")).forEach(chosen::add);
            } else {
                trial(name);
                chosen.add(name);
            }
        }
        return List.copyOf(chosen);
    }

    private static FaultTrial trial(String name) {
        var known = TRIALS.get(name);
        if (known == null) {
            throw new CommandLineException("no such fault: " + name);
        }
        return known;
    }

    private static BenchReport run(List<String> names, FaultOptions options) {
        var report = new BenchReport(names.size() == 1 ? "fault-" + names.getFirst() : "faults");
        for (String name : names) {
            var trial = trial(name);
            var refusal = trial.unmetRequirement();
            if (refusal.isPresent()) {
                report.remark(trial.title() + " was not run: " + refusal.get() + ".");
                continue;
            }
            System.err.println(trial.title() + " ...");
            try {
                var criteria = trial.run(options);
                criteria.addTo(report, trial.title());
                System.err.println(
                        criteria.areAllMet() ? "  passed" : "  FAILED " + criteria.unmet());
            } catch (IllegalStateException | UncheckedIOException broken) {
                // The remaining faults still run.
                System.err.println("  broke off: " + broken.getMessage());
                report.failUnless(false, trial.title() + " broke off: " + broken.getMessage());
            }
        }
        return report;
    }
}
