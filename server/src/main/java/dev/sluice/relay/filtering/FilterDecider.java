package dev.sluice.relay.filtering;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.filter.FilterInput;
import dev.sluice.gateway.filter.FilterResult;
import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.json.Effort;
import dev.sluice.relay.Payload;

import java.util.Optional;
import java.util.function.Supplier;

/// Decides the filters that ingest left undecided, before the first attempt of the delivery
/// concerned.
///
/// The work of one decision is not limited, because it grows only linearly with the payload: no
/// rule reads a payload more than a few times. Filters are decided on at most half of the CPU cores
/// (but at least one), and workspaces take turns. Expensive filters therefore mainly delay the
/// deliveries of their own workspace. Thread-safe.
public final class FilterDecider {

    private final DecisionLine<WorkspaceId> line;

    /// @param slots how many decisions may be made at once
    FilterDecider(int slots) {
        this.line = new DecisionLine<>(slots);
    }

    public static FilterDecider forThisMachine() {
        return new FilterDecider(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
    }

    /// Waits for the workspace's turn and decides. Returns `UNDECIDED` if the delivery may no
    /// longer be sent by then.
    ///
    /// @param route called once it is the workspace's turn, so that the filter in force at that
    ///   moment counts; must return empty if the delivery may no longer be sent
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
