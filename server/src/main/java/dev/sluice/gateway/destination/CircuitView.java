package dev.sluice.gateway.destination;

import dev.sluice.platform.db.Row;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/// What the API shows of a destination's circuit.
///
/// @param state `closed`, `open` or `half_open`
public record CircuitView(String state, Optional<Instant> reopenAt) {

    /// A destination that never failed has no row.
    static final CircuitView CLOSED = new CircuitView("closed", Optional.empty());

    /// From `circuit_state` and `reopen_at` of an outer join, both null without a row.
    static CircuitView read(Row row) throws SQLException {
        var reopenAt = row.instantOrNone("reopen_at");
        return row.textOrNone("circuit_state")
                .map(state -> new CircuitView(state, reopenAt))
                .orElse(CLOSED);
    }
}
