package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.util.Optional;

/// A finished delivery, as shown in lists of dead letters.
///
/// @param latestStatus the status of the newest delivery of the same event on the same connection;
///   for example, `succeeded` after a successful resend
/// @param dismissedAt when the delivery was dismissed; empty if it was not
record DeadLetter(
        DeliveryItem delivery, DeliveryStatus latestStatus, Optional<Instant> dismissedAt) {

    boolean isResolved() {
        return dismissedAt.isPresent() || latestStatus == DeliveryStatus.SUCCEEDED;
    }

    JsonObject json() {
        return delivery.start()
                .put("status", delivery.status().text())
                .put("latest_status", latestStatus.text())
                .put("resolved", isResolved())
                .put("dismissed_at", dismissedAt)
                .put("trigger", delivery.trigger().text())
                .put("attempt_count", delivery.last().attempts())
                .putAll(delivery.end());
    }
}
