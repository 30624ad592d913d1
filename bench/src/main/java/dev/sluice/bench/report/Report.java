package dev.sluice.bench.report;

import dev.sluice.bench.measure.Machine;
import dev.sluice.bench.platform.Json;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/// What one run of a scenario found.
public final class Report {

    private final String scenario;
    private final List<Table> tables = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    public Report(String scenario) {
        this.scenario = scenario;
    }

    public Report add(Table table) {
        tables.add(table);
        return this;
    }

    public Report remark(String remark) {
        remarks.add(remark);
        return this;
    }

    /// What must not be: with one of these the run has failed.
    public Report failUnless(boolean good, String failure) {
        if (!good) {
            failures.add(failure);
        }
        return this;
    }

    public boolean isGood() {
        return failures.isEmpty();
    }

    public String plain() {
        var text = new StringBuilder();
        for (Table table : tables) {
            text.append('\n').append(table.title()).append("\n\n").append(table.plain());
        }
        text.append('\n');
        remarks.forEach(remark -> text.append(remark).append('\n'));
        failures.forEach(failure -> text.append("FAILED: ").append(failure).append('\n'));
        return text.append(isGood() ? "passed\n" : "").toString();
    }

    /// Writes `<date>-<scenario>.json` and `.md`, over those of the same day.
    public void save(Path directory, LocalDate date, String command, Machine machine) {
        String name = date + "-" + scenario;
        try {
            Files.createDirectories(directory);
            String commit = Commit.here();
            Files.writeString(
                    directory.resolve(name + ".md"), markdown(date, command, commit, machine));
            Files.writeString(
                    directory.resolve(name + ".json"), json(date, command, commit, machine));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String markdown(LocalDate date, String command, String commit, Machine machine) {
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
        for (Table table : tables) {
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

    private String json(LocalDate date, String command, String commit, Machine machine) {
        var page = new LinkedHashMap<String, Object>();
        page.put("scenario", scenario);
        page.put("date", date.toString());
        page.put("command", command);
        page.put("commit", commit);
        page.put("machine", machine);
        var numbers = new LinkedHashMap<String, Object>();
        tables.forEach(table -> numbers.put(table.title(), table.json()));
        page.put("tables", numbers);
        page.put("remarks", remarks);
        page.put("failures", failures);
        page.put("passed", isGood());
        return Json.page(page);
    }
}
