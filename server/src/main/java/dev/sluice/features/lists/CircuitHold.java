package dev.sluice.features.lists;

import dev.sluice.platform.db.Row;
import dev.sluice.platform.json.JsonObject;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/// The circuit breaker of a delivery's destination, if the circuit is open or half open.
///
/// @param isProbing whether the circuit is half open, which means that a probe (a trial attempt) is
///   being sent
/// @param reopenAt the earliest time for the next probe; this time may be in the past
/// @param error the error message of the destination's last failure
record CircuitHold(boolean isProbing, Instant reopenAt, Optional<String> error) {

    /// Reads the columns `circuit_state`, `reopen_at` and `circuit_error`, which come from an outer
    /// join with the circuit row. Returns empty if there is no circuit row, if the circuit is
    /// closed, or if `reopen_at` is null.
    static Optional<CircuitHold> read(Row row) throws SQLException {
        var reopenAt = row.instantOrNone("reopen_at");
        var error = row.textOrNone("circuit_error");
        return row.textOrNone("circuit_state")
                .filter(state -> !state.equals("closed"))
                .flatMap(state ->
                        reopenAt.map(at -> new CircuitHold(state.equals("half_open"), at, error)));
    }

    Instant notBefore(Instant due) {
        return reopenAt.isAfter(due) ? reopenAt : due;
    }

    /// @param next the earliest time at which this delivery may be attempted
    String reason(Instant next) {
        if (isProbing) {
            return "Held: the circuit is recovering; one delivery is being tried.";
        }
        return "Held: circuit open, probe at "
                + JsonObject.time(next)
                + error.map(text -> ": " + text).orElse("")
                + ".";
    }
}
