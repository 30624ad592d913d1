package dev.sluice.bench.scenario;

import dev.sluice.bench.measure.MachineDescription;
import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;

import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Runs the scenario that a command line names, prints its report and, unless `--no-save` is given,
/// saves the report as a Markdown page.
public final class ScenarioRunner {

    private static final Path RESULTS_DIRECTORY = Path.of("bench", "results");

    /// The options whose values are left out of the saved page because they are secrets or paths on
    /// this machine.
    private static final Set<String> REDACTED_OPTIONS = Set.of("--key", "--sluice", "--against");

    private ScenarioRunner() {}

    /// Chooses the scenario that the words before the first option name.
    public interface ScenarioChooser {

        Scenario choose(List<String> names, CommandLineOptions options);
    }

    /// Runs the scenario and returns the exit status: 0 if the scenario passed, 1 if it failed, and
    /// 2 if the command line is invalid.
    ///
    /// @param launcher the script that was run, such as `bench/run`; the saved page shows it before
    ///   the arguments
    public static int run(String launcher, List<String> arguments, ScenarioChooser scenarios) {
        try {
            int names = 0;
            while (names < arguments.size() && !arguments.get(names).startsWith("--")) {
                names++;
            }
            var options = CommandLineOptions.parse(arguments.subList(names, arguments.size()));
            boolean save = !options.flag("no-save");
            var scenario = scenarios.choose(arguments.subList(0, names), options);
            options.rejectUnknown();

            var report = scenario.run();
            System.out.print(report.toText());
            if (save) {
                report.save(
                        RESULTS_DIRECTORY,
                        LocalDate.now(ZoneOffset.UTC),
                        redacted(launcher, arguments),
                        MachineDescription.here());
            }
            return report.isGood() ? 0 : 1;
        } catch (CommandLineException e) {
            System.err.println(e.getMessage());
            return 2;
        }
    }

    private static String redacted(String launcher, List<String> arguments) {
        var words = new ArrayList<String>(List.of(launcher));
        for (int at = 0; at < arguments.size(); at++) {
            boolean isPrinted = at == 0 || !REDACTED_OPTIONS.contains(arguments.get(at - 1));
            words.add(isPrinted ? arguments.get(at) : "…");
        }
        return String.join(" ", words);
    }
}
