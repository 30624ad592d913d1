package dev.sluice.observe.events;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.routing.Hold;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.Trigger;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// A delivery as the event's detail shows it.
///
/// @param reason one sentence: why it stands so and what happens next
record DeliveryView(
        DeliveryId id,
        ConnectionId connection,
        UUID destination,
        String destinationName,
        DeliveryStatus status,
        Trigger trigger,
        int attemptCount,
        Optional<Instant> nextAttemptAt,
        Instant createdAt,
        Optional<Instant> finishedAt,
        String reason,
        List<AttemptView> attempts) {

    JsonObject json() {
        return new JsonObject()
                .put("id", id)
                .put("connection_id", connection)
                .put("destination_id", destination)
                .put("destination_name", destinationName)
                .put("status", status.text())
                .put("trigger", trigger.text())
                .put("attempt_count", attemptCount)
                .put("next_attempt_at", nextAttemptAt)
                .put("created_at", createdAt)
                .put("finished_at", finishedAt)
                .put("reason", reason)
                .put("attempts", attempts.stream().map(AttemptView::json).toList());
    }

    /// @param attempts made before this one
    static String delivering(int attempts) {
        return attempts == 0
                ? "Being delivered: the first attempt is under way."
                : "Being delivered: retry " + attempts + " is under way.";
    }

    /// What follows, in the same sentence's place, when the event will be gone before long.
    static String ending(Instant end) {
        return " It ends unsent at "
                + JsonObject.time(end)
                + ", when the event's retention is over.";
    }

    /// Why a delivery waits.
    ///
    /// @param circuit present when it is not closed
    /// @param isInMemory it is due, and a process has it, but does not send it yet
    /// @param retries how many there will be at most
    static String waiting(
            Optional<Hold> hold,
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
                case CIRCUIT_OPEN -> circuit.orElseThrow().reason(next);
            };
        }
        if (attempts == 0) {
            return isInMemory ? "In line for its first attempt." : "Waiting for its first attempt.";
        }
        String why =
                last.flatMap(AttemptView::errorMessage).map(message -> ": " + message).orElse("");
        // The schedule may have been shortened since.
        String retry = attempts + " of " + Math.max(attempts, retries);
        return isInMemory
                ? "In line for retry " + retry + why + "."
                : "Retry " + retry + " at " + JsonObject.time(next) + why + ".";
    }
}
