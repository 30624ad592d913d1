package dev.sluice.bench.fault;

import dev.sluice.bench.measure.Machine;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;
import dev.sluice.bench.report.Report;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/// Runs fault tests one after the other, as `bench/faults` does.
///
/// Exits 0 when all criteria were met, 1 when not, 2 when the command line cannot be run. A fault
/// that this machine cannot do is said and passed over.
public final class Faults {

    private static final Path RESULTS = Path.of("bench", "results");

    private static final Map<String, Trial> ALL = all();

    private Faults() {}

    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments)));
    }

    private static Map<String, Trial> all() {
        var all = new LinkedHashMap<String, Trial>();
        all.put("1", underLoad(new RelayKills()));
        all.put("2", underLoad(new SoleKill()));
        all.put("3", new ServerTests("3 kill at every race point", "RaceTest", 50));
        all.put("4", underLoad(new PostgresKills()));
        all.put("5", underLoad(new PostgresCrashes()));
        all.put("6", new ServerTests("6 commit outcome unknown", "JournalTest,ResultsTest", 50));
        all.put("7", underLoad(new Zombie()));
        all.put("8", underLoad(new Starved()));
        all.put("9", underLoad(new Partition()));
        all.put("10", underLoad(new SlowDatabase()));
        all.put("12", underLoad(FullDisk.ofTables()));
        all.put("13", underLoad(FullDisk.ofWal()));
        all.put("14", underLoad(new DeadDestination()));
        all.put("15", underLoad(new Recovery()));
        all.put("17", underLoad(new Storm()));
        all.put("19", underLoad(new PinnedHorizon()));
        all.put("20", underLoad(new ClockSkew()));
        all.put("21", underLoad(new Midnight()));
        all.put("23", underLoad(new RollingRestart()));
        all.put("nodes", new MoreNodes());
        all.put("short", underLoad(Medley.brief()));
        return all;
    }

    private static int run(List<String> arguments) {
        try {
            int names = 0;
            while (names < arguments.size() && !arguments.get(names).startsWith("--")) {
                names++;
            }
            var chosen = chosen(arguments.subList(0, names));
            var options = Options.parse(arguments.subList(names, arguments.size()));
            var asked = Dose.from(options);
            boolean save = !options.flag("no-save");
            options.finish();
            boolean isShort = arguments.contains("short");
            var report = run(chosen, isShort ? asked.smallest() : asked);
            if (save) {
                report.save(
                        RESULTS,
                        LocalDate.now(ZoneOffset.UTC),
                        "bench/faults " + String.join(" ", arguments),
                        Machine.here());
            }
            System.out.print(report.plain());
            return report.isGood() ? 0 : 1;
        } catch (UsageException e) {
            System.err.println(e.getMessage());
            return 2;
        }
    }

    private static List<String> chosen(List<String> names) {
        if (names.isEmpty()) {
            throw new UsageException(
                    "bench/faults all|N… [options], N one of " + String.join(", ", ALL.keySet()));
        }
        var chosen = new LinkedHashSet<String>();
        for (String name : names) {
            switch (name) {
                case "all" ->
                        ALL.keySet().stream()
                                .filter(each -> !each.equals("short"))
                                .forEach(chosen::add);
                default -> {
                    trial(name);
                    chosen.add(name);
                }
            }
        }
        return List.copyOf(chosen);
    }

    private static Trial trial(String name) {
        var known = ALL.get(name);
        if (known == null) {
            throw new UsageException("no such fault: " + name);
        }
        return known;
    }

    private static Trial underLoad(Fault fault) {
        return new Trial.UnderLoad(fault);
    }

    private static Report run(List<String> names, Dose dose) {
        var report = new Report(names.size() == 1 ? "fault-" + names.getFirst() : "faults");
        for (String name : names) {
            var trial = trial(name);
            var refusal = trial.refusal();
            if (refusal.isPresent()) {
                report.remark(trial.title() + " was not run: " + refusal.get() + ".");
                continue;
            }
            System.err.println(trial.title() + " ...");
            try {
                var criteria = trial.run(dose);
                criteria.addTo(report, trial.title());
                System.err.println(criteria.areMet() ? "  borne" : "  FAILED " + criteria.unmet());
            } catch (IllegalStateException | UncheckedIOException broken) {
                // The others shall have their turn.
                System.err.println("  broke off: " + broken.getMessage());
                report.failUnless(false, trial.title() + " broke off: " + broken.getMessage());
            }
        }
        return report;
    }
}
