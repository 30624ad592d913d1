package dev.sluice.observe.events;

import dev.sluice.platform.db.Row;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.ErrorCode;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/// One attempt of a delivery, as the API shows it.
///
/// @param configVersion the low 32 bits of the configuration's version; empty if an older version
///   of Sluice made the attempt
record AttemptView(
        int number,
        String requestUrl,
        AttemptResponse response,
        AttemptFailure failure,
        int latencyMs,
        Instant attemptedAt,
        Optional<Long> configVersion) {

    /// The destination's response; both parts are empty if there was none.
    record AttemptResponse(Optional<Integer> status, Optional<String> body) {}

    /// Why the attempt failed; both parts are empty if it succeeded.
    record AttemptFailure(Optional<ErrorCode> code, Optional<String> message) {}

    /// @param row contains `url` and the columns that `delivery` and `attempt` have in common
    static AttemptView read(Row row, int number) throws SQLException {
        return new AttemptView(
                number,
                row.text("url"),
                new AttemptResponse(
                        row.integerOrNone("response_status"),
                        row.isNull("response_body")
                                ? Optional.empty()
                                : Optional.of(
                                        new String(
                                                row.bytes("response_body"),
                                                StandardCharsets.UTF_8))),
                new AttemptFailure(
                        row.integerOrNone("error_code").map(ErrorCode::fromNumber),
                        row.textOrNone("error_message")),
                row.integer("latency_ms"),
                row.instant("attempted_at"),
                row.integerOrNone("configuration").map(Integer::toUnsignedLong));
    }

    JsonObject json() {
        return new JsonObject()
                .put("attempt_number", number)
                .put("request_url", requestUrl)
                .put("response_status", response.status())
                .put("response_body", response.body())
                .put("error_code", failure.code().map(ErrorCode::text))
                .put("error_message", failure.message())
                .put("latency_ms", latencyMs)
                .put("attempted_at", attemptedAt)
                .put("config_version", configVersion);
    }
}
