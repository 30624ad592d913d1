package dev.sluice.relay.filtering;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.filter.FilterInput;
import dev.sluice.gateway.filter.FilterResult;
import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.json.Effort;
import dev.sluice.relay.Payload;

import java.util.Optional;
import java.util.function.Supplier;

/// Decides the filters that ingest left undecided, before the first attempt of their delivery.
///
/// The effort of one decision has no bound of its own, because it is linear: no rule looks at a
/// payload more than a few times. At most half of the cores decide at once, and workspaces take
/// turns, so expensive filters slow down only the deliveries of their own workspace. Thread-safe.
public final class FilterDecider {

    private final DecisionLine<WorkspaceId> line;

    /// @param slots how many decisions may be made at once
    FilterDecider(int slots) {
        this.line = new DecisionLine<>(slots);
    }

    public static FilterDecider forThisMachine() {
        return new FilterDecider(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
    }

    /// Waits for the workspace's turn and decides. Returns `UNDECIDED` if the delivery may not be
    /// sent any more by then.
    ///
    /// @param route reads the route once it is the workspace's turn, so that the filter in force at
    ///   that moment counts; empty if the delivery may not be sent any more
    public FilterResult decide(
            WorkspaceId workspace, Payload payload, Supplier<Optional<Route>> route)
            throws InterruptedException {
        line.enter(workspace);
        try {
            return route.get()
                    .map(present -> FilterEvaluator.evaluate(present, input(payload)))
                    .orElse(FilterResult.UNDECIDED);
        } finally {
            line.leave();
        }
    }

    private static FilterInput input(Payload payload) {
        return FilterInput.of(payload.headers(), payload.body(), Effort.unlimited());
    }
}
