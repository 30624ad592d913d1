package dev.sluice.relay.circuit;

import java.time.Instant;
import java.util.Optional;

/// What attempts of this node showed of a destination and is not written yet, in short: whether it
/// was reached, and how often it failed after that.
///
/// @param generation that the failures speak for, or that was known when it was reached
/// @param at when it failed last
/// @param error what the last failure said; empty when there was none
/// @param givenBack the probe that was not sent, by its generation
record Tally(
        boolean isReset,
        int failures,
        int generation,
        Instant at,
        Optional<String> error,
        Optional<Integer> givenBack) {

    static final Tally NONE =
            new Tally(false, 0, 0, Instant.EPOCH, Optional.empty(), Optional.empty());

    boolean isEmpty() {
        return !isReset && failures == 0 && givenBack.isEmpty();
    }

    Tally withFailure(int started, Instant now, String message) {
        int before = started > generation ? 0 : failures; // older ones count no more
        return new Tally(isReset, before + 1, started, now, Optional.of(message), givenBack);
    }

    /// @param known the generation that is known
    Tally withReset(int known) {
        return new Tally(true, 0, known, Instant.EPOCH, Optional.empty(), givenBack);
    }

    Tally withGivenBack(int probe) {
        return new Tally(isReset, failures, generation, at, error, Optional.of(probe));
    }

    /// The circuit after all this.
    Circuit over(Circuit before, Cooldowns cooldowns) {
        var circuit = before;
        if (givenBack.isPresent()) {
            circuit = circuit.giveBack(givenBack.get());
        }
        if (isReset) {
            circuit = circuit.afterSuccess().atLeast(generation);
        }
        for (int i = 0; i < failures; i++) {
            circuit = circuit.afterFailure(generation, at, cooldowns);
        }
        return circuit;
    }
}
