package dev.sluice.account.plan;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// A price plan, which says what a workspace may use. Immutable.
///
/// @param priceMonthlyUsd the price in US dollars per month
/// @param features names of features, only for display
public record Plan(String name, int priceMonthlyUsd, PlanLimits limits, List<String> features) {

    public Plan {
        features = List.copyOf(features);
    }

    /// The limits of a plan. An empty limit means unlimited.
    public record PlanLimits(
            OptionalInt apiRequestsPerMinute,
            OptionalInt ingestPerMinutePerSource,
            OptionalLong eventsPerMonth,
            OptionalInt sources,
            OptionalInt concurrentStreams,
            Retention retention) {}
}
