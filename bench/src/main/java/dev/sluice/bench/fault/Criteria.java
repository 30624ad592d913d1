package dev.sluice.bench.fault;

import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;

import java.util.ArrayList;
import java.util.List;

/// What must hold for a fault to be borne, and what was seen.
final class Criteria {

    private final List<Criterion> all = new ArrayList<>();
    private final List<Table> tables = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    /// @param limit in words or numbers, as `seen`
    record Criterion(String text, Object limit, Object seen, boolean isMet) {}

    Criteria none(String text, long seen) {
        return add(text, 0L, seen, seen == 0);
    }

    Criteria atMost(String text, double limit, double seen) {
        return add(text, "≤ " + shown(limit), seen, seen <= limit);
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
        return all.stream()
                .filter(criterion -> !criterion.isMet())
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
        all.add(new Criterion(text, limit, seen, isMet));
        return this;
    }

    private static String shown(double limit) {
        return limit == Math.rint(limit) ? Long.toString((long) limit) : Double.toString(limit);
    }
}
