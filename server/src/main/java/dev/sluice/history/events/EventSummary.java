package dev.sluice.history.events;

import dev.sluice.engine.EventId;
import dev.sluice.engine.EventVerification;
import dev.sluice.engine.VerificationReason;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/// An event without its headers and body.
///
/// @param filtered the number of connections whose filters the event did not match at ingest
public record EventSummary(
        EventId id,
        SourceId source,
        String method,
        Optional<String> contentType,
        EventVerification verification,
        int bodySize,
        int filtered) {

    /// Reads an event from a row whose `filtered` column contains a count instead of the stored
    /// list of connections.
    public static EventSummary read(Row row) throws SQLException {
        return new EventSummary(
                new EventId(row.uuid("id")),
                new SourceId(row.uuid("source_id")),
                row.text("method"),
                row.textOrNone("content_type"),
                new EventVerification(
                        VerificationStatus.fromNumber(row.integer("verification")),
                        row.integerOrNone("verification_reason")
                                .map(VerificationReason::fromNumber)),
                row.integer("body_size"),
                row.integer("filtered"));
    }

    public Instant receivedAt() {
        return Uuid7.timeOf(id.value());
    }

    /// Returns the fields shown in every view of an event.
    public JsonObject json() {
        return new JsonObject()
                .put("id", id)
                .put("source_id", source)
                .put("method", method)
                .put("content_type", contentType)
                .put("verification_status", verification.status().text())
                .put("verification_reason", verification.reason().map(VerificationReason::sentence))
                .put("body_size", bodySize)
                .put("received_at", receivedAt())
                .put("created_at", receivedAt());
    }
}
