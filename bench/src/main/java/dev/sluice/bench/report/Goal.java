package dev.sluice.bench.report;

import java.util.Locale;

/// A value that a measurement should meet (the goal), and a value that it must meet (the limit).
///
/// @param name the measured quantity, with its unit
/// @param wanted the goal; missing it adds a remark
/// @param least the limit; missing it fails the run. It is at least `wanted` if smaller numbers are
///   better, and below `wanted` otherwise
public record Goal(String name, double wanted, double least) {

    /// Returns a goal for a number that must not exceed `limit`.
    public static Goal atMost(String name, double limit) {
        return new Goal(name, limit, limit);
    }

    /// Adds the measured number and the goal to the report: as a failure if the limit is missed,
    /// otherwise as a remark.
    public void judge(double seen, BenchReport report) {
        String found =
                String.format(Locale.ROOT, "%s: %.2f, the goal is %s", name, seen, text(wanted));
        if (!reaches(seen, least)) {
            report.failUnless(false, found + ", the least " + text(least));
        } else {
            report.remark(found + (reaches(seen, wanted) ? "." : ": missed."));
        }
    }

    private boolean reaches(double seen, double limit) {
        return isUpperLimit() ? seen <= limit : seen >= limit;
    }

    private boolean isUpperLimit() {
        return least >= wanted;
    }

    private String text(double limit) {
        return (isUpperLimit() ? "at most " : "at least ")
                + (limit == Math.rint(limit)
                        ? Long.toString((long) limit)
                        : Double.toString(limit));
    }
}
