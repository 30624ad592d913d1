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

    /// The maximum number of connections per source in any plan. Ingest creates at most one
    /// delivery of an event per connection. It numbers an event's deliveries from 1 to 1023, so
    /// there are enough numbers.
    public static final int MAX_CONNECTIONS_PER_SOURCE = 1_000;

    /// The limits of a plan. An empty limit means unlimited.
    public record PlanLimits(
            OptionalInt apiRequestsPerMinute,
            OptionalInt ingestPerMinutePerSource,
            OptionalLong eventsPerMonth,
            OptionalInt sources,
            OptionalInt destinations,
            int connectionsPerSource,
            OptionalInt concurrentStreams,
            Retention retention) {}
}
