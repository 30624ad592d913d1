package dev.sluice.features.audit;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The result of an audit: what was checked, and which invariants are violated.
///
/// @param events the number of events checked
/// @param deliveries the number of deliveries checked, finished or not
/// @param violations the violations found, by invariant; an invariant without violations has no
///   entry
/// @param isTruncated whether some suspicious events or deliveries were not examined; if so, the
///   counts are only lower bounds
public record AuditReport(
        long events,
        long deliveries,
        Map<Invariant, ViolationSummary> violations,
        boolean isTruncated) {

    /// The violations of one invariant.
    ///
    /// @param count the number of violations
    /// @param examples one sentence for each of the first ten violations
    public record ViolationSummary(long count, List<String> examples) {

        private static final int MAX_EXAMPLES = 10;

        public ViolationSummary {
            examples = List.copyOf(examples);
        }

        private ViolationSummary plus(ViolationSummary more) {
            var both = new ArrayList<>(examples);
            both.addAll(more.examples);
            return new ViolationSummary(
                    count + more.count, both.subList(0, Math.min(both.size(), MAX_EXAMPLES)));
        }
    }

    public AuditReport {
        violations = Map.copyOf(violations);
    }

    static AuditReport empty() {
        return new AuditReport(0, 0, Map.of(), false);
    }

    static AuditReport of(
            long events, long deliveries, List<InvariantViolation> findings, boolean isTruncated) {
        Map<Invariant, ViolationSummary> violations = new EnumMap<>(Invariant.class);
        for (var finding : findings) {
            violations.merge(
                    finding.invariant(),
                    new ViolationSummary(1, List.of(finding.text())),
                    ViolationSummary::plus);
        }
        return new AuditReport(events, deliveries, violations, isTruncated);
    }

    AuditReport plus(AuditReport more) {
        Map<Invariant, ViolationSummary> both = new EnumMap<>(Invariant.class);
        both.putAll(violations);
        more.violations.forEach(
                (invariant, found) -> both.merge(invariant, found, ViolationSummary::plus));
        return new AuditReport(
                events + more.events,
                deliveries + more.deliveries,
                both,
                isTruncated || more.isTruncated);
    }

    /// Returns the violations of one invariant; the count is 0 if there are none.
    public ViolationSummary violationsOf(Invariant invariant) {
        return violations.getOrDefault(invariant, new ViolationSummary(0, List.of()));
    }

    public boolean isClean() {
        return violations.isEmpty();
    }

    /// Returns the total number of violations of all invariants.
    public long count() {
        return violations.values().stream().mapToLong(ViolationSummary::count).sum();
    }
}
