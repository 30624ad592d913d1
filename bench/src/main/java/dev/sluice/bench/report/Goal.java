package dev.sluice.bench.report;

import java.util.Locale;

/// A number that a measurement should reach, and the limit that it must reach.
///
/// @param name the measured quantity, with its unit
/// @param wanted the goal; missing it adds a remark
/// @param least the limit; missing it fails the run. It is above `wanted` if smaller numbers are
///   better
public record Goal(String name, double wanted, double least) {

    /// Returns a goal whose limit must not be exceeded.
    public static Goal atMost(String name, double limit) {
        return new Goal(name, limit, limit);
    }

    /// Adds the measured number to the report, beside the goal.
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
