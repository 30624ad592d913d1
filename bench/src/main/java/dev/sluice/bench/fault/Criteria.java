package dev.sluice.bench.fault;

import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// What must hold for a fault to be borne, and what was seen.
final class Criteria {

    private final List<Criterion> all = new ArrayList<>();
    private final List<Table> tables = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    /// @param limit in words or numbers, as `seen`
    /// @param isOfTime whether a machine with too much to do may miss it
    record Criterion(String text, Object limit, Object seen, boolean isMet, boolean isOfTime) {}

    Criteria none(String text, long seen) {
        return add(text, 0L, seen, seen == 0);
    }

    Criteria atMost(String text, double limit, double seen) {
        return add(text, "≤ " + shown(limit), seen, seen <= limit);
    }

    /// As `atMost`, of seconds or milliseconds.
    Criteria inTime(String text, double limit, double seen) {
        all.add(new Criterion(text, "≤ " + shown(limit), seen, seen <= limit, true));
        return this;
    }

    Criteria atMost(String text, long limit, long seen) {
        return add(text, "≤ " + limit, seen, seen <= limit);
    }

    Criteria atLeast(String text, long limit, long seen) {
        return add(text, "≥ " + limit, seen, seen >= limit);
    }

    Criteria atLeast(String text, double limit, double seen) {
        return add(text, "≥ " + shown(limit), seen, seen >= limit);
    }

    Criteria holds(String text, boolean isMet) {
        return add(text, "yes", isMet ? "yes" : "no", isMet);
    }

    /// @param seen what there is to say of it
    Criteria holds(String text, boolean isMet, String seen) {
        return add(text, "yes", seen, isMet);
    }

    Criteria table(Table table) {
        tables.add(table);
        return this;
    }

    Criteria remark(String remark) {
        remarks.add(remark);
        return this;
    }

    boolean areMet() {
        return all.stream().allMatch(Criterion::isMet);
    }

    List<String> unmet() {
        return unmet(_ -> true);
    }

    /// Those that even the slowest machine must meet.
    List<String> broken() {
        return unmet(criterion -> !criterion.isOfTime());
    }

    private List<String> unmet(Predicate<Criterion> concerned) {
        return all.stream()
                .filter(criterion -> !criterion.isMet())
                .filter(concerned)
                .map(criterion ->
                        "%s: %s, seen %s"
                                .formatted(criterion.text(), criterion.limit(), criterion.seen()))
                .toList();
    }

    /// @param title of the fault, which stands before everything
    void addTo(Report report, String title) {
        var table = new Table(title, "criterion", "limit", "seen", "met");
        for (Criterion criterion : all) {
            table.row(
                    criterion.text(),
                    criterion.limit(),
                    criterion.seen(),
                    criterion.isMet() ? "yes" : "NO");
        }
        report.add(table);
        tables.forEach(report::add);
        remarks.forEach(remark -> report.remark(title + ": " + remark));
        unmet().forEach(failure -> report.failUnless(false, title + ": " + failure));
    }

    private Criteria add(String text, Object limit, Object seen, boolean isMet) {
        all.add(new Criterion(text, limit, seen, isMet, false));
        return this;
    }

    private static String shown(double limit) {
        return limit == Math.rint(limit) ? Long.toString((long) limit) : Double.toString(limit);
    }
}
