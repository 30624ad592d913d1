package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Trigger;
import dev.sluice.gateway.routing.HoldReason;
import dev.sluice.history.DeliveryEnd;
import dev.sluice.history.DeliveryTarget;
import dev.sluice.history.StatusView;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// A delivery, as shown in lists.
public record DeliveryItem(
        DeliveryId id,
        UUID source,
        DeliveryTarget target,
        StatusView view,
        Trigger trigger,
        LastResult last,
        ItemTimes times) {

    /// The result of the last attempt, or the reason why no attempt was made.
    ///
    /// @param attempts the number of recorded attempts
    /// @param latencyMs how long the last attempt took, in milliseconds; empty if there was none
    public record LastResult(
            int attempts,
            Optional<String> error,
            Optional<ErrorCode> code,
            Optional<Integer> responseStatus,
            Optional<Integer> latencyMs) {

        static final LastResult NONE =
                new LastResult(
                        0, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

        static LastResult of(DeliveryEnd end, Optional<Integer> latencyMs) {
            return new LastResult(
                    end.attempts(), end.error(), end.code(), end.responseStatus(), latencyMs);
        }
    }

    /// @param nextAttemptAt empty if the delivery is finished, or if no time is scheduled for its
    ///   next attempt
    /// @param finishedAt empty if the delivery is not finished
    public record ItemTimes(
            Instant createdAt, Optional<Instant> nextAttemptAt, Optional<Instant> finishedAt) {}

    public DeliveryStatus status() {
        return view.status();
    }

    JsonObject json() {
        return start().put("status", view.status().text())
                .put("trigger", trigger.text())
                .put("attempt_count", last.attempts())
                .put("next_attempt_at", times.nextAttemptAt())
                .put("hold", view.hold().map(HoldReason::text))
                .putAll(end());
    }

    /// Returns the fields that identify the delivery.
    public JsonObject start() {
        return target.addTo(
                new JsonObject()
                        .put("id", id)
                        .put("event_id", id.event())
                        .put("source_id", source));
    }

    /// Returns the fields that show the delivery's last result, the reason for its status, and its
    /// times.
    public JsonObject end() {
        return new JsonObject()
                .put("last_error", last.error())
                .put("last_error_code", last.code().map(ErrorCode::text))
                .put("last_response_status", last.responseStatus())
                .put("last_latency_ms", last.latencyMs())
                .put("reason", view.reason())
                .put("received_at", Uuid7.timeOf(id.value()))
                .put("created_at", times.createdAt())
                .put("finished_at", times.finishedAt());
    }
}
