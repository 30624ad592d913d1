package dev.sluice.engine.settle;

import java.util.Optional;

/// The limit on this node's concurrent attempts at a destination after the destination's circuit
/// has closed.
///
/// The limit starts at one. It doubles after a number of successes equal to its current value. An
/// attempt counts as a success here if it proves the destination reachable, even with a 404. When
/// doubling would reach or exceed the destination's own limit, the slow start ends. A failure sets
/// the limit back to one.
///
/// @param concurrency the current limit
/// @param successes the number of successes since `concurrency` last changed
record SlowStart(int concurrency, int successes) {

    static final SlowStart INITIAL = new SlowStart(1, 0);

    /// Returns the limit after one more success, or empty if the slow start is over.
    ///
    /// @param limit the destination's `max_in_flight`
    Optional<SlowStart> afterReached(int limit) {
        if (successes + 1 < concurrency) {
            return Optional.of(new SlowStart(concurrency, successes + 1));
        }
        return 2 * concurrency < limit
                ? Optional.of(new SlowStart(2 * concurrency, 0))
                : Optional.empty();
    }
}
