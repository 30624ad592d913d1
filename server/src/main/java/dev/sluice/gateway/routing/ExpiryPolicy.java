package dev.sluice.gateway.routing;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;
import java.time.InstantSource;

/// Decides whether an event's retention period is over. If so, the event's unfinished deliveries
/// end for good. Thread-safe.
@FunctionalInterface
public interface ExpiryPolicy {

    boolean isExpired(SourceId source, Instant receivedAt);

    /// Returns a policy that applies the current plan of the workspace that owns the source.
    ///
    /// If this node does not know the source or its workspace yet, the event does not count as
    /// expired. Ending its deliveries late is better than ending them by mistake.
    ///
    /// @param settledClock the clock for decisions that cannot be undone; it is used here because
    ///   an expired event's deliveries end for good
    static ExpiryPolicy byPlan(
            ConfigurationCache configuration, PlanCatalog plans, InstantSource settledClock) {
        return (source, receivedAt) ->
                configuration
                        .workspace(source)
                        .map(configuration::plan)
                        .filter(plan -> !plan.isEmpty())
                        .map(plan ->
                                plans.byNameOrLast(plan)
                                        .limits()
                                        .retention()
                                        .isExpired(receivedAt, settledClock.instant()))
                        .orElse(false);
    }
}
