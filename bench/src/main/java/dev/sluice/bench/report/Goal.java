package dev.sluice.bench.report;

import java.util.Locale;

/// A number that a measurement should reach, and the least that it must.
///
/// @param name what is measured, with its unit
/// @param wanted a miss is remarked
/// @param least a miss fails the run. It is above `wanted` where less is better.
public record Goal(String name, double wanted, double least) {

    /// A limit that must not be exceeded.
    public static Goal atMost(String name, double limit) {
        return new Goal(name, limit, limit);
    }

    /// Adds what was seen to the report, beside the goal.
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
