package dev.sluice.engine.settle;

import java.time.Instant;
import java.util.Optional;

/// The changes to one destination's circuit that this node has not written to the database yet.
/// They record whether the destination was reached, how many attempts have failed since, and which
/// probe was given back. [CircuitBreaker] explains generations and probes. Immutable.
///
/// @param generation the circuit's generation under which the failed attempts started; if there are
///   no failures, the generation that this node knew when the destination was reached
/// @param at when the last failure happened; `Instant.EPOCH` if there was none
/// @param error the message of the last failure; empty if there was none
/// @param returnedProbe the generation of a probe that was given back because it was not sent
record CircuitTally(
        boolean isReached,
        int failures,
        int generation,
        Instant at,
        Optional<String> error,
        Optional<Integer> returnedProbe) {

    static final CircuitTally NONE =
            new CircuitTally(false, 0, 0, Instant.EPOCH, Optional.empty(), Optional.empty());

    boolean isEmpty() {
        return !isReached && failures == 0 && returnedProbe.isEmpty();
    }

    CircuitTally withFailure(int startedGeneration, Instant now, String message) {
        int before =
                startedGeneration > generation
                        ? 0
                        : failures; // failures under an older generation no longer count
        return new CircuitTally(
                isReached, before + 1, startedGeneration, now, Optional.of(message), returnedProbe);
    }

    /// Returns the tally as it is once the destination has been reached.
    ///
    /// @param known the circuit's generation, as known to this node
    CircuitTally withReached(int known) {
        return new CircuitTally(true, 0, known, Instant.EPOCH, Optional.empty(), returnedProbe);
    }

    CircuitTally withReturnedProbe(int probe) {
        return new CircuitTally(isReached, failures, generation, at, error, Optional.of(probe));
    }

    /// Returns the circuit `before` with this tally applied to it.
    CircuitBreaker applyTo(CircuitBreaker before, CooldownBackoff cooldowns) {
        var circuit = before;
        if (returnedProbe.isPresent()) {
            circuit = circuit.giveBack(returnedProbe.get());
        }
        if (isReached) {
            circuit = circuit.afterReached().withMinGeneration(generation);
        }
        for (int i = 0; i < failures; i++) {
            circuit = circuit.afterFailure(generation, at, cooldowns);
        }
        return circuit;
    }
}
