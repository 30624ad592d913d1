package dev.sluice.observe.deadletters;

import dev.sluice.observe.DeliveryEnd;
import dev.sluice.observe.DeliveryTarget;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Trigger;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// A finished delivery, as the lists of dead letters show it.
///
/// @param latestStatus the status of the newest delivery of the same event on the same connection;
///   for example, `succeeded` after a successful resend
/// @param dismissedAt when somebody dismissed it; empty if nobody did
record DeadLetter(
        DeliveryId id,
        UUID source,
        DeliveryTarget target,
        DeliveryEnd end,
        Trigger trigger,
        DeliveryStatus latestStatus,
        Optional<Instant> dismissedAt,
        Instant createdAt,
        Instant finishedAt) {

    boolean isResolved() {
        return dismissedAt.isPresent() || latestStatus == DeliveryStatus.SUCCEEDED;
    }

    JsonObject json() {
        var json =
                new JsonObject().put("id", id).put("event_id", id.event()).put("source_id", source);
        return target.addTo(json)
                .put("status", end.status().text())
                .put("latest_status", latestStatus.text())
                .put("resolved", isResolved())
                .put("dismissed_at", dismissedAt)
                .put("trigger", trigger.text())
                .put("attempt_count", end.attempts())
                .put("last_error", end.error())
                .put("last_error_code", end.code().map(ErrorCode::text))
                .put("last_response_status", end.responseStatus())
                .put("reason", end.reason())
                .put("received_at", Uuid7.timeOf(id.value()))
                .put("created_at", createdAt)
                .put("finished_at", finishedAt);
    }
}
