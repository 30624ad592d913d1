package dev.sluice.observe.events;

import dev.sluice.platform.db.Row;
import dev.sluice.platform.json.JsonObject;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/// The circuit of a delivery's destination, while it is not closed.
///
/// @param isProbing one delivery is being tried
/// @param reopenAt when the first probe may be, or might have been, sent
/// @param error what the last failure said
record CircuitHold(boolean isProbing, Instant reopenAt, Optional<String> error) {

    /// From `circuit_state`, `reopen_at` and `last_error` of an outer join; empty while closed.
    static Optional<CircuitHold> read(Row row) throws SQLException {
        var reopenAt = row.instantOrNone("reopen_at");
        var error = row.textOrNone("last_error");
        return row.textOrNone("circuit_state")
                .filter(state -> !state.equals("closed"))
                .flatMap(state ->
                        reopenAt.map(at -> new CircuitHold(state.equals("half_open"), at, error)));
    }

    Instant notBefore(Instant due) {
        return reopenAt.isAfter(due) ? reopenAt : due;
    }

    /// @param next when this delivery may be tried
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
