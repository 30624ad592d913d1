package dev.sluice.engine.settle;

import java.time.Instant;
import java.util.Optional;

/// One destination's circuit on this node: the stored row plus the changes that have not been
/// written yet. Immutable.
///
/// @param stored the row as last read or written
/// @param writing the changes in the write that is in progress, or in the last write if it failed
/// @param pending the changes made since that write began
/// @param slowStart the limit on concurrent attempts after the circuit closed; empty if there is
///   none
/// @param circuit the result of applying `writing` and then `pending` to `stored`
record LocalCircuit(
        StoredCircuit stored,
        CircuitTally writing,
        CircuitTally pending,
        Optional<SlowStart> slowStart,
        CircuitBreaker circuit) {

    static final LocalCircuit NONE =
            new LocalCircuit(
                    StoredCircuit.NONE,
                    CircuitTally.NONE,
                    CircuitTally.NONE,
                    Optional.empty(),
                    CircuitBreaker.healthy());

    /// Whether another success would change nothing.
    boolean isSteady() {
        return circuit.isHealthy() && slowStart.isEmpty();
    }

    boolean hasUnwritten() {
        return !pending.isEmpty() || !writing.isEmpty();
    }

    LocalCircuit afterFailure(
            int startedGeneration, Instant now, String error, CooldownBackoff cooldowns) {
        if (startedGeneration < circuit.generation()) {
            return this;
        }
        var next =
                with(
                        stored,
                        writing,
                        pending.withFailure(startedGeneration, now, error),
                        cooldowns);
        return next.slowStart().isPresent() ? next.with(Optional.of(SlowStart.INITIAL)) : next;
    }

    /// Returns the state after a success.
    ///
    /// @param limit the destination's `max_in_flight`
    LocalCircuit afterReached(int limit, CooldownBackoff cooldowns) {
        var next = slowStart.flatMap(start -> start.afterReached(limit));
        return circuit.isHealthy()
                ? with(next)
                : with(next)
                        .with(
                                stored,
                                writing,
                                pending.withReached(circuit.generation()),
                                cooldowns);
    }

    LocalCircuit afterProbeReturned(int probe, CooldownBackoff cooldowns) {
        return circuit.isProbe(probe)
                ? with(stored, writing, pending.withReturnedProbe(probe), cooldowns)
                : this;
    }

    /// Returns a copy in which the pending changes have been moved to `writing`. If an earlier
    /// write failed, returns this state unchanged, so that the changes of that write are written
    /// first.
    LocalCircuit startWriting(CooldownBackoff cooldowns) {
        return writing.isEmpty() ? with(stored, pending, CircuitTally.NONE, cooldowns) : this;
    }

    /// Returns the state after the changes in `writing` were committed.
    ///
    /// @param now the row as it is after the write
    LocalCircuit afterWrite(StoredCircuit now, CooldownBackoff cooldowns) {
        return with(newer(now), CircuitTally.NONE, pending, cooldowns);
    }

    LocalCircuit afterRead(StoredCircuit other, CooldownBackoff cooldowns) {
        return with(newer(other), writing, pending, cooldowns);
    }

    private StoredCircuit newer(StoredCircuit other) {
        return other.version() > stored.version() ? other : stored;
    }

    private LocalCircuit with(Optional<SlowStart> start) {
        return new LocalCircuit(stored, writing, pending, start, circuit);
    }

    private LocalCircuit with(
            StoredCircuit row,
            CircuitTally writing,
            CircuitTally pending,
            CooldownBackoff cooldowns) {
        var next = pending.applyTo(writing.applyTo(row.circuit(), cooldowns), cooldowns);
        Optional<SlowStart> start =
                !next.isClosed()
                        ? Optional.empty()
                        : circuit.isClosed() ? slowStart : Optional.of(SlowStart.INITIAL);
        return new LocalCircuit(row, writing, pending, start, next);
    }
}
