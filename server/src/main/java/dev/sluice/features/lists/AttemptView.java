package dev.sluice.features.lists;

import dev.sluice.engine.ErrorCode;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.json.JsonObject;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/// One delivery attempt, as the API shows it.
///
/// @param errorMessage why the attempt failed; for a success, a note about the response
record AttemptView(
        int number,
        String requestUrl,
        Optional<Integer> responseStatus,
        Optional<String> responseBody,
        Optional<ErrorCode> errorCode,
        Optional<String> errorMessage,
        int latencyMs,
        Instant attemptedAt) {

    /// @param row a row with `url` and the columns that the tables `delivery` and `attempt` have in
    ///   common
    static AttemptView read(Row row, int number) throws SQLException {
        return new AttemptView(
                number,
                row.text("url"),
                row.integerOrNone("response_status"),
                row.isNull("response_body")
                        ? Optional.empty()
                        : Optional.of(
                                new String(row.bytes("response_body"), StandardCharsets.UTF_8)),
                row.integerOrNone("error_code").map(ErrorCode::fromNumber),
                row.textOrNone("error_message"),
                row.integer("latency_ms"),
                row.instant("attempted_at"));
    }

    JsonObject json() {
        return new JsonObject()
                .put("attempt_number", number)
                .put("request_url", requestUrl)
                .put("response_status", responseStatus)
                .put("response_body", responseBody)
                .put("error_code", errorCode.map(ErrorCode::text))
                .put("error_message", errorCode.flatMap(_ -> errorMessage))
                .put("note", errorCode.isEmpty() ? errorMessage : Optional.<String>empty())
                .put("latency_ms", latencyMs)
                .put("attempted_at", attemptedAt);
    }
}
