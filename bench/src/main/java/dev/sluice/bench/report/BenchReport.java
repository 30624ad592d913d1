package dev.sluice.bench.report;

import static dev.sluice.bench.platform.UncheckedCalls.uncheckedRun;

import dev.sluice.bench.measure.MachineDescription;
import dev.sluice.bench.platform.SystemCommands;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/// The findings of one run of a scenario: tables, remarks and failures.
public final class BenchReport {

    private final String scenario;
    private final List<ReportTable> tables = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    public BenchReport(String scenario) {
        this.scenario = scenario;
    }

    public BenchReport add(ReportTable table) {
        tables.add(table);
        return this;
    }

    public BenchReport remark(String remark) {
        remarks.add(remark);
        return this;
    }

    /// Adds a failure if `good` is false. A run with at least one failure has failed.
    public BenchReport failUnless(boolean good, String failure) {
        if (!good) {
            failures.add(failure);
        }
        return this;
    }

    public boolean isGood() {
        return failures.isEmpty();
    }

    public String toText() {
        var text = new StringBuilder();
        for (ReportTable table : tables) {
            text.append('\n').append(table.title()).append("\n\n").append(table.toText());
        }
        text.append('\n');
        remarks.forEach(remark -> text.append(remark).append('\n'));
        failures.forEach(failure -> text.append("FAILED: ").append(failure).append('\n'));
        return text.append(isGood() ? "passed\n" : "").toString();
    }

    /// Writes the page `<date>-<scenario>.md`. Replaces any earlier page for the same scenario and
    /// day.
    public void save(Path directory, LocalDate date, String command, MachineDescription machine) {
        String name = date + "-" + scenario;
        uncheckedRun(() -> {
            Files.createDirectories(directory);
            String commit = gitRevision();
            Files.writeString(
                    directory.resolve(name + ".md"), markdown(date, command, commit, machine));
        });
    }

    /// Returns the commit that is checked out, and whether the sources have uncommitted changes.
    private static String gitRevision() {
        var head = SystemCommands.run("git", "rev-parse", "--short=10", "HEAD");
        var changes =
                SystemCommands.run(
                        "git", "status", "--porcelain", "--", "server", "bench/src", "faults/src");
        if (!head.isSuccess() || !changes.isSuccess()) {
            return "unknown";
        }
        return head.output().strip() + (changes.output().isBlank() ? "" : ", with changes");
    }

    private String markdown(
            LocalDate date, String command, String commit, MachineDescription machine) {
        var text = new StringBuilder();
        text.append("# ").append(scenario).append(", ").append(date).append("\n\n");
        text.append("    ").append(command).append("\n\n");
        text.append(
                "Commit %s, on %s, %d cores, %s, %s, JDK %s. Everything ran on this machine.%n"
                        .formatted(
                                commit,
                                machine.processor(),
                                machine.cores(),
                                machine.memory(),
                                machine.kernel(),
                                machine.jdk()));
        for (ReportTable table : tables) {
            text.append("\n## ").append(table.title()).append("\n\n").append(table.markdown());
        }
        if (!remarks.isEmpty()) {
            text.append('\n');
            remarks.forEach(remark -> text.append("- ").append(remark).append('\n'));
        }
        text.append('\n').append(isGood() ? "Passed.\n" : "**Failed.**\n");
        failures.forEach(failure -> text.append("- ").append(failure).append('\n'));
        return text.toString();
    }
}
