package dev.sluice.observe.audit;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// What a check came to.
///
/// @param events looked at
/// @param deliveries looked at, finished or not
/// @param violations only of the invariants that have any
/// @param isCutShort there were more than were looked at one by one
public record Report(
        long events, long deliveries, Map<Invariant, Violations> violations, boolean isCutShort) {

    /// @param examples the first few, a sentence each
    public record Violations(long count, List<String> examples) {

        private static final int MOST_EXAMPLES = 10;

        public Violations {
            examples = List.copyOf(examples);
        }

        private Violations plus(Violations more) {
            var both = new ArrayList<>(examples);
            both.addAll(more.examples);
            return new Violations(
                    count + more.count, both.subList(0, Math.min(both.size(), MOST_EXAMPLES)));
        }
    }

    public Report {
        violations = Map.copyOf(violations);
    }

    static Report nothing() {
        return new Report(0, 0, Map.of(), false);
    }

    static Report of(long events, long deliveries, List<Finding> findings, boolean isCutShort) {
        Map<Invariant, Violations> violations = new EnumMap<>(Invariant.class);
        for (var finding : findings) {
            violations.merge(
                    finding.invariant(),
                    new Violations(1, List.of(finding.text())),
                    Violations::plus);
        }
        return new Report(events, deliveries, violations, isCutShort);
    }

    Report plus(Report more) {
        Map<Invariant, Violations> both = new EnumMap<>(Invariant.class);
        both.putAll(violations);
        more.violations.forEach(
                (invariant, found) -> both.merge(invariant, found, Violations::plus));
        return new Report(
                events + more.events,
                deliveries + more.deliveries,
                both,
                isCutShort || more.isCutShort);
    }

    /// Of one invariant; none is a count of 0.
    public Violations found(Invariant invariant) {
        return violations.getOrDefault(invariant, new Violations(0, List.of()));
    }

    public boolean isClean() {
        return violations.isEmpty();
    }

    /// Of all invariants together.
    public long count() {
        return violations.values().stream().mapToLong(Violations::count).sum();
    }
}
