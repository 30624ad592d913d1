package dev.sluice.relay;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;
import java.util.Optional;

/// A delivery that is not finished.
///
/// @param attempts made so far
/// @param createdAt empty when it was made with its event
public record Work(
        DeliveryId id,
        SourceId source,
        ConnectionId connection,
        Trigger trigger,
        int attempts,
        Optional<Instant> createdAt) {}
