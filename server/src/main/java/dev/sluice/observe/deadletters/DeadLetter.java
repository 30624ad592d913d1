package dev.sluice.observe.deadletters;

import dev.sluice.observe.Ending;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Trigger;

import java.time.Instant;
import java.util.UUID;

/// A delivery that ended, as lists show it.
///
/// @param latest how the newest delivery of the event on that connection stands: what a resend has
///   mended reads `succeeded`
record DeadLetter(
        DeliveryId id,
        UUID source,
        UUID connection,
        UUID destination,
        String destinationName,
        Ending ending,
        Trigger trigger,
        DeliveryStatus latest,
        Instant receivedAt,
        Instant createdAt,
        Instant finishedAt) {

    JsonObject json() {
        return new JsonObject()
                .put("id", id)
                .put("event_id", id.event())
                .put("source_id", source)
                .put("connection_id", connection)
                .put("destination_id", destination)
                .put("destination_name", destinationName)
                .put("status", ending.status().text())
                .put("latest_status", latest.text())
                .put("trigger", trigger.text())
                .put("attempt_count", ending.attempts())
                .put("last_error", ending.error())
                .put("last_error_code", ending.code().map(ErrorCode::text))
                .put("last_response_status", ending.responseStatus())
                .put("reason", ending.reason())
                .put("received_at", receivedAt)
                .put("created_at", createdAt)
                .put("finished_at", finishedAt);
    }
}
