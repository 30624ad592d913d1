package dev.sluice.relay.circuit;

import java.util.Optional;

/// How many attempts at a destination may be under way on this node after its circuit closed: one,
/// and twice as many after as many successes as there may be. A failure takes it back to one; at
/// the destination's own limit it is over.
///
/// @param successes since the width is what it is
record SlowStart(int width, int successes) {

    static final SlowStart FIRST = new SlowStart(1, 0);

    /// Empty when it is over.
    ///
    /// @param limit the destination's own
    Optional<SlowStart> afterSuccess(int limit) {
        if (successes + 1 < width) {
            return Optional.of(new SlowStart(width, successes + 1));
        }
        return 2 * width < limit ? Optional.of(new SlowStart(2 * width, 0)) : Optional.empty();
    }
}
