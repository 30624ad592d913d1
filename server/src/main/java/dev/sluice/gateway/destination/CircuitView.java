package dev.sluice.gateway.destination;

import java.time.Instant;
import java.util.Optional;

/// What the API shows of a destination's circuit.
///
/// @param state `closed`, `open` or `half_open`
public record CircuitView(String state, Optional<Instant> reopenAt) {

    /// A destination that never failed has no row.
    static final CircuitView CLOSED = new CircuitView("closed", Optional.empty());
}
