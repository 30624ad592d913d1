package dev.sluice.faults;

import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// The criteria by which a fault's outcome is judged, each with its limit and the observed value.
final class Criteria {

    private final List<Criterion> all = new ArrayList<>();
    private final List<ReportTable> tables = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    /// @param limit the limit; like `seen`, it is text or a number
    /// @param isTimeBound whether the criterion is a time limit, which an overloaded machine may
    ///   exceed
    record Criterion(String text, Object limit, Object seen, boolean isMet, boolean isTimeBound) {}

    Criteria none(String text, long seen) {
        return add(text, 0L, seen, seen == 0);
    }

    Criteria atMost(String text, Number limit, Number seen) {
        return add(text, "≤ " + shown(limit), seen, seen.doubleValue() <= limit.doubleValue());
    }

    /// Adds the criterion that a time, in seconds or milliseconds, is at most `limit`. An
    /// overloaded machine may exceed the limit.
    Criteria inTime(String text, double limit, double seen) {
        all.add(new Criterion(text, "≤ " + shown(limit), seen, seen <= limit, true));
        return this;
    }

    Criteria atLeast(String text, Number limit, Number seen) {
        return add(text, "≥ " + shown(limit), seen, seen.doubleValue() >= limit.doubleValue());
    }

    Criteria holds(String text, boolean isMet) {
        return add(text, "yes", isMet ? "yes" : "no", isMet);
    }

    /// @param seen a description of what was observed
    Criteria holds(String text, boolean isMet, String seen) {
        return add(text, "yes", seen, isMet);
    }

    Criteria table(ReportTable table) {
        tables.add(table);
        return this;
    }

    Criteria remark(String remark) {
        remarks.add(remark);
        return this;
    }

    boolean areAllMet() {
        return all.stream().allMatch(Criterion::isMet);
    }

    List<String> unmet() {
        return unmet(_ -> true);
    }

    /// Returns the unmet criteria that even the slowest machine must meet.
    List<String> unmetExceptTiming() {
        return unmet(criterion -> !criterion.isTimeBound());
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

    /// @param title the fault's title, which is also the table's title and the start of every
    ///   remark and failure
    void addTo(BenchReport report, String title) {
        var table = ReportTable.of(title, "criterion | limit | seen | met");
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

    private static String shown(Number limit) {
        boolean isWhole = limit.doubleValue() == limit.longValue();
        return isWhole ? Long.toString(limit.longValue()) : limit.toString();
    }
}
