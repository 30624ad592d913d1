package dev.sluice.engine.share;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.filter.FilterInput;
import dev.sluice.gateway.filter.FilterResult;
import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.json.Effort;
import dev.sluice.platform.share.DecisionLine;

import java.util.Optional;
import java.util.function.Supplier;

/// Evaluates the filters that ingest left undecided. Each filter is evaluated before the first
/// attempt at its delivery.
///
/// The work for one decision is not limited, but it grows only linearly with the size of the
/// payload: no rule reads a payload more than a few times. Decisions use at most half of the CPU
/// cores, or one core if there is only one. The workspace that has used the least CPU time goes
/// next, so expensive filters mainly delay the deliveries of their own workspace. Thread-safe.
public final class FilterDecider {

    /// The effort charged for parsing one byte of the payload. The parser does not count its own
    /// effort.
    private static final long PARSING_COST = 4;

    private final DecisionLine<WorkspaceId> line;

    /// @param slots the maximum number of decisions that may be made at the same time
    FilterDecider(int slots) {
        this.line = new DecisionLine<>(slots);
    }

    public static FilterDecider forThisMachine() {
        return new FilterDecider(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
    }

    /// Waits for the workspace's turn and then decides whether the event matches the filter.
    /// Returns `UNDECIDED` if the delivery may no longer be sent by then.
    ///
    /// @param route returns the current route, or empty if the delivery may no longer be sent. It
    ///   is called when the workspace's turn comes, so that the filter in force at that moment is
    ///   used
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
            // Java cannot measure the CPU time of a virtual thread, so the effort is used instead.
            // One unit of effort is about a nanosecond.
            line.leave(workspace, effort.spent() + PARSING_COST * payload.body().length);
        }
    }
}
