package dev.sluice.bench.fault;

import dev.sluice.bench.measure.Machine;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;
import dev.sluice.bench.report.Report;

import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// Runs fault tests one after the other, as `bench/faults` does.
///
/// Exits 0 when all criteria were met, 1 when not, 2 when the command line cannot be run. A fault
/// that this machine cannot do is said and passed over.
public final class Faults {

    private static final Path RESULTS = Path.of("bench", "results");

    private static final Map<String, Supplier<Fault>> ALL = all();

    /// What CI can spare time for.
    private static final List<String> SHORT = List.of("2", "4");

    private Faults() {}

    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments)));
    }

    private static Map<String, Supplier<Fault>> all() {
        var all = new LinkedHashMap<String, Supplier<Fault>>();
        all.put("1", RelayKills::new);
        all.put("2", SoleKill::new);
        all.put("4", PostgresKills::new);
        all.put("5", PostgresCrashes::new);
        all.put("7", Zombie::new);
        all.put("8", Starved::new);
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
                    "bench/faults all|short|N… [options], N one of "
                            + String.join(", ", ALL.keySet()));
        }
        var chosen = new ArrayList<String>();
        for (String name : names) {
            switch (name) {
                case "all" -> chosen.addAll(ALL.keySet());
                case "short" -> chosen.addAll(SHORT);
                default -> {
                    fault(name);
                    chosen.add(name);
                }
            }
        }
        return chosen;
    }

    private static Fault fault(String name) {
        var known = ALL.get(name);
        if (known == null) {
            throw new UsageException("no such fault: " + name);
        }
        return known.get();
    }

    private static Report run(List<String> names, Dose dose) {
        var report = new Report(names.size() == 1 ? "fault-" + names.getFirst() : "faults");
        for (String name : names) {
            var fault = fault(name);
            var refusal = fault.refusal();
            if (refusal.isPresent()) {
                report.remark(fault.title() + " was not run: " + refusal.get() + ".");
                continue;
            }
            System.err.println(fault.title() + " ...");
            var criteria = run(fault, dose);
            criteria.addTo(report, fault.title());
            System.err.println(criteria.areMet() ? "  borne" : "  FAILED " + criteria.unmet());
        }
        return report;
    }

    /// The load, the harm under it, and what is left afterwards.
    static Criteria run(Fault fault, Dose dose) {
        var criteria = new Criteria();
        try (var stage = Stage.open(fault.scene(dose), dose)) {
            stage.begin();
            Stage.pause(Duration.ofSeconds(dose.calm()));
            fault.harm(stage, criteria);
            Stage.pause(Duration.ofSeconds(dose.calm()));
            stage.end();
            var oracle = new Oracle(stage, criteria).settle(fault.leftWaiting());
            criteria.atMost("taken more than once", fault.mostDuplicates(), oracle.duplicated());
            if (!fault.isSentTwice()) {
                oracle.demandStoredOnce();
            }
            fault.judge(stage, criteria);
            oracle.lookInside();
        }
        return criteria;
    }
}
