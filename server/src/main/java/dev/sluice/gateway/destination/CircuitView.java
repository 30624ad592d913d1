package dev.sluice.gateway.destination;

import dev.sluice.platform.db.Row;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/// The state of a destination's circuit breaker, as the API shows it.
///
/// @param state `closed`, `open` or `half_open`
/// @param reopenAt when an open circuit will allow a probe; empty if no time is stored
public record CircuitView(String state, Optional<Instant> reopenAt) {

    /// The view of a destination that has no circuit row, which means that its circuit is closed.
    static final CircuitView CLOSED = new CircuitView("closed", Optional.empty());

    /// Reads the columns `circuit_state` and `reopen_at`, which come from the circuit row through
    /// an outer join. Both are null if there is no circuit row.
    static CircuitView read(Row row) throws SQLException {
        var reopenAt = row.instantOrNone("reopen_at");
        return row.textOrNone("circuit_state")
                .map(state -> new CircuitView(state, reopenAt))
                .orElse(CLOSED);
    }
}
