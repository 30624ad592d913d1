package dev.sluice.features.streams;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// The outcome of a delivery that has ended, as streams send it.
public record StreamOutcome(
        DeliveryId delivery,
        SourceId source,
        ConnectionId connection,
        DestinationId destination,
        DeliveryStatus status,
        LastAttempt last,
        Instant finishedAt)
        implements StreamItem {

    /// The delivery's last attempt.
    ///
    /// @param number the number of attempts made
    public record LastAttempt(
            int number, Optional<Integer> responseStatus, Optional<ErrorCode> errorCode) {}

    private static final int MEMORY_BYTES = 600;

    @Override
    public UUID id() {
        return delivery.value();
    }

    @Override
    public int memoryBytes() {
        return MEMORY_BYTES;
    }

    public JsonObject json() {
        return new JsonObject()
                .put("id", delivery)
                .put("event_id", delivery.event())
                .put("source_id", source)
                .put("connection_id", connection)
                .put("destination_id", destination)
                .put("status", status.text())
                .put("attempt_count", last.number())
                .put("response_status", last.responseStatus())
                .put("error_code", last.errorCode().map(ErrorCode::text))
                .put("finished_at", finishedAt);
    }
}
