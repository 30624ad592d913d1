package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Trigger;
import dev.sluice.gateway.routing.HoldReason;
import dev.sluice.history.DeliveryTarget;
import dev.sluice.history.StatusView;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A delivery, as the API shows it within its event.
///
/// @param attempts empty if the event has too many attempts to show those of this delivery
record DeliveryView(
        DeliveryId id,
        DeliveryTarget target,
        StatusView view,
        Trigger trigger,
        DeliveryTimes times,
        int attemptCount,
        Optional<List<AttemptView>> attempts) {

    /// @param nextAttemptAt empty if the delivery is finished, or if no time is scheduled for its
    ///   next attempt
    /// @param finishedAt empty if the delivery is not finished
    record DeliveryTimes(
            Instant createdAt, Optional<Instant> nextAttemptAt, Optional<Instant> finishedAt) {}

    JsonObject json() {
        var json =
                target.addTo(new JsonObject().put("id", id))
                        .put("status", view.status().text())
                        .put("trigger", trigger.text())
                        .put("attempt_count", attemptCount)
                        .put("next_attempt_at", times.nextAttemptAt())
                        .put("hold", view.hold().map(HoldReason::text))
                        .put("created_at", times.createdAt())
                        .put("finished_at", times.finishedAt())
                        .put("reason", view.reason())
                        .put(
                                "attempts",
                                attempts.orElse(List.of()).stream()
                                        .map(AttemptView::json)
                                        .toList());
        return attempts.isPresent() ? json : json.put("attempts_path", "/api/v1/deliveries/" + id);
    }
}
