package dev.sluice.relay.circuit;

import java.time.Instant;
import java.util.Optional;

/// What this node knows of one destination's circuit. Immutable.
///
/// @param stored the row as it was read or written last
/// @param leaving what is being written now
/// @param tally what came after that
/// @param slowStart while there is one
/// @param circuit what follows from all of them
record View(
        Stored stored, Tally leaving, Tally tally, Optional<SlowStart> slowStart, Circuit circuit) {

    static final View NONE =
            new View(Stored.NONE, Tally.NONE, Tally.NONE, Optional.empty(), Circuit.healthy());

    /// Another success would change nothing.
    boolean isSteady() {
        return circuit.isHealthy() && slowStart.isEmpty();
    }

    boolean hasNews() {
        return !tally.isEmpty() || !leaving.isEmpty();
    }

    View failed(int started, Instant now, String error, Cooldowns cooldowns) {
        if (started < circuit.generation()) {
            return this;
        }
        var next = with(stored, leaving, tally.withFailure(started, now, error), cooldowns);
        return next.slowStart().isPresent() ? next.with(Optional.of(SlowStart.FIRST)) : next;
    }

    /// @param limit the destination's `max_in_flight`
    View reached(int limit, Cooldowns cooldowns) {
        var wider = slowStart.flatMap(start -> start.afterSuccess(limit));
        return circuit.isHealthy()
                ? with(wider)
                : with(wider)
                        .with(stored, leaving, tally.withReset(circuit.generation()), cooldowns);
    }

    View givenBack(int probe, Cooldowns cooldowns) {
        return circuit.isProbe(probe)
                ? with(stored, leaving, tally.withGivenBack(probe), cooldowns)
                : this;
    }

    /// What is there to write is being written from now on; what could not be written comes first.
    View departing(Cooldowns cooldowns) {
        return leaving.isEmpty() ? with(stored, tally, Tally.NONE, cooldowns) : this;
    }

    /// What was leaving is written.
    View written(Stored now, Cooldowns cooldowns) {
        return with(newer(now), Tally.NONE, tally, cooldowns);
    }

    View learned(Stored other, Cooldowns cooldowns) {
        return with(newer(other), leaving, tally, cooldowns);
    }

    private Stored newer(Stored other) {
        return other.version() > stored.version() ? other : stored;
    }

    private View with(Optional<SlowStart> start) {
        return new View(stored, leaving, tally, start, circuit);
    }

    private View with(Stored row, Tally departing, Tally rest, Cooldowns cooldowns) {
        var next = rest.over(departing.over(row.circuit(), cooldowns), cooldowns);
        Optional<SlowStart> start =
                !next.isClosed()
                        ? Optional.empty()
                        : circuit.isClosed() ? slowStart : Optional.of(SlowStart.FIRST);
        return new View(row, departing, rest, start, next);
    }
}
