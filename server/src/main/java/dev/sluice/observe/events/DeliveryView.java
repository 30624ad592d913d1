package dev.sluice.observe.events;

import dev.sluice.gateway.routing.HoldReason;
import dev.sluice.observe.DeliveryTarget;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.Trigger;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A delivery, as the API shows it within its event.
///
/// @param reason one sentence that says why the delivery has this status and what happens next
record DeliveryView(
        DeliveryId id,
        DeliveryTarget target,
        DeliveryStatus status,
        Trigger trigger,
        DeliveryTimes times,
        String reason,
        int attemptCount,
        List<AttemptView> attempts) {

    /// @param nextAttemptAt empty if the delivery is finished
    /// @param finishedAt empty if the delivery is not finished
    record DeliveryTimes(
            Instant createdAt, Optional<Instant> nextAttemptAt, Optional<Instant> finishedAt) {}

    JsonObject json() {
        return target.addTo(new JsonObject().put("id", id))
                .put("status", status.text())
                .put("trigger", trigger.text())
                .put("attempt_count", attemptCount)
                .put("next_attempt_at", times.nextAttemptAt())
                .put("created_at", times.createdAt())
                .put("finished_at", times.finishedAt())
                .put("reason", reason)
                .put("attempts", attempts.stream().map(AttemptView::json).toList());
    }

    /// @param attempts the number of attempts made before the current one
    static String deliveringReason(int attempts) {
        return attempts == 0
                ? "Being delivered: the first attempt is under way."
                : "Being delivered: retry " + attempts + " is under way.";
    }

    /// Returns a sentence to add to the reason if the delivery will expire soon.
    static String expiryNotice(Instant end) {
        return " It expires unsent at "
                + JsonObject.time(end)
                + ", when the event's retention ends.";
    }

    /// Returns a sentence that says why a delivery is waiting.
    ///
    /// @param circuit empty if the circuit is closed
    /// @param isInMemory whether the delivery is due and in a node's memory, but not being sent yet
    /// @param retries the maximum number of retries
    static String waitingReason(
            Optional<HoldReason> hold,
            Optional<CircuitHold> circuit,
            boolean isInMemory,
            int attempts,
            int retries,
            Instant next,
            Optional<AttemptView> last) {
        if (hold.isPresent()) {
            return switch (hold.get()) {
                case SOURCE_IN_TRASH -> "Held: the source is in the trash.";
                case SOURCE_PAUSED ->
                        "Held: the source is paused. It is sent when the source is active again.";
                case DESTINATION_PAUSED ->
                        "Held: the destination is paused. It is sent when the destination is active"
                                + " again.";
                case CONNECTION_DISABLED ->
                        "Held: the connection is disabled. It is sent when the connection is"
                                + " enabled again.";
                case DESTINATION_UNREADABLE ->
                        "Held: the server cannot read some of the destination's settings (see its"
                                + " unreadable_fields). It is sent when those are saved again.";
                case CONNECTION_UNREADABLE ->
                        "Held: the server cannot read some of the connection's settings (see its"
                                + " unreadable_fields). It is sent when those are saved again.";
                case CIRCUIT_OPEN -> circuit.orElseThrow().reason(next);
            };
        }
        if (attempts == 0) {
            return isInMemory ? "In line for its first attempt." : "Waiting for its first attempt.";
        }
        String why =
                last.flatMap(AttemptView::errorMessage).map(message -> ": " + message).orElse("");
        // The user may have shortened the retry schedule after these attempts.
        String retry = attempts + " of " + Math.max(attempts, retries);
        return isInMemory
                ? "In line for retry " + retry + why + "."
                : "Retry " + retry + " at " + JsonObject.time(next) + why + ".";
    }
}
