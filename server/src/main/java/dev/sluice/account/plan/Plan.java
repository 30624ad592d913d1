package dev.sluice.account.plan;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// What a workspace may use. An empty limit means unlimited.
///
/// @param priceMonthlyUsd in US dollars a month
public record Plan(String name, int priceMonthlyUsd, Limits limits, List<String> features) {

    public Plan {
        features = List.copyOf(features);
    }

    /// The limits of one plan.
    public record Limits(
            OptionalInt apiRequestsPerMinute,
            OptionalInt ingestPerMinutePerSource,
            OptionalLong eventsPerMonth,
            OptionalInt sources,
            OptionalInt concurrentStreams,
            Retention retention) {}
}
