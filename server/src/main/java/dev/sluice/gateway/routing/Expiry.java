package dev.sluice.gateway.routing;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;

/// Whether an event's retention is over. Safe for use by many threads.
@FunctionalInterface
public interface Expiry {

    boolean isOver(SourceId source, Instant receivedAt, Instant now);

    /// By the plan that the source's workspace has now. False for a source that this node has not
    /// heard of yet: better late than wrong.
    static Expiry byPlan(Routing routing, PlanCatalog plans) {
        return (source, receivedAt, now) ->
                routing.workspace(source)
                        .map(routing::plan)
                        .filter(plan -> !plan.isEmpty())
                        .map(plan -> plans.named(plan).limits().retention().isOver(receivedAt, now))
                        .orElse(false);
    }
}
