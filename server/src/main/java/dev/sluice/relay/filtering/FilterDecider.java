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
/// (but at least one), and the workspace that has used least of them goes next. Expensive filters
/// therefore mainly delay the deliveries of their own workspace. Thread-safe.
public final class FilterDecider {

    /// The cost of parsing one byte, as effort. Parsing itself spends none.
    private static final long PARSING_COST = 4;

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
        var effort = Effort.unlimited();
        try {
            var input = FilterInput.of(payload.headers(), payload.body(), effort);
            return route.get()
                    .map(present -> FilterEvaluator.evaluate(present, input))
                    .orElse(FilterResult.UNDECIDED);
        } finally {
            // The CPU time of a virtual thread cannot be read. Effort is about a nanosecond of it.
            line.leave(workspace, effort.spent() + PARSING_COST * payload.body().length);
        }
    }
}
