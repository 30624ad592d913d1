package dev.sluice.relay;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;
import java.util.Optional;

/// A delivery that has not ended yet: a row of the work table.
///
/// @param attempts the number of attempts finished so far
/// @param createdAt empty if the delivery was created together with its event
public record UnfinishedDelivery(
        DeliveryId id,
        SourceId source,
        ConnectionId connection,
        Trigger trigger,
        int attempts,
        Optional<Instant> createdAt) {}
