package dev.sluice.account.plan;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// A pricing plan, which defines what a workspace may use. Immutable.
///
/// @param priceMonthlyUsd the price in US dollars per month
/// @param features the names of features, for display only
public record Plan(String name, int priceMonthlyUsd, PlanLimits limits, List<String> features) {

    public Plan {
        features = List.copyOf(features);
    }

    /// The maximum number of connections per source in any plan. It must stay below 1024: ingest
    /// creates at most one delivery of an event per connection, and can number these deliveries
    /// only from 1 to 1023.
    public static final int MAX_CONNECTIONS_PER_SOURCE = 1_000;

    /// The limit on a workspace's configuration, in bytes, in a plan that does not name one: 4 MiB.
    public static final long DEFAULT_CONFIGURATION_BYTES = 4L * 1024 * 1024;

    /// The limits of a plan. An empty limit means unlimited.
    public record PlanLimits(
            OptionalInt apiRequestsPerMinute,
            OptionalInt ingestPerMinutePerSource,
            OptionalLong eventsPerMonth,
            OptionalInt sources,
            OptionalInt destinations,
            int connectionsPerSource,
            OptionalInt concurrentStreams,
            StorageLimits storage) {

        public OptionalLong configurationBytes() {
            return storage.configurationBytes();
        }

        public Retention retention() {
            return storage.retention();
        }
    }

    /// How much a workspace may keep, and for how long.
    public record StorageLimits(OptionalLong configurationBytes, Retention retention) {}
}
