package dev.sluice.relay;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;
import java.util.Optional;

/// A delivery that has not ended yet: a row of the work table.
///
/// @param attempts the number of attempts finished so far
/// @param createdAt empty if the delivery was created together with its event
/// @param isUndecided whether its connection's filter must be decided before its first attempt
public record UnfinishedDelivery(
        DeliveryId id,
        SourceId source,
        ConnectionId connection,
        Trigger trigger,
        int attempts,
        Optional<Instant> createdAt,
        boolean isUndecided) {

    /// A delivery that no filter keeps back.
    public UnfinishedDelivery(
            DeliveryId id,
            SourceId source,
            ConnectionId connection,
            Trigger trigger,
            int attempts,
            Optional<Instant> createdAt) {
        this(id, source, connection, trigger, attempts, createdAt, false);
    }

    public UnfinishedDelivery withUndecided(boolean undecided) {
        return new UnfinishedDelivery(
                id, source, connection, trigger, attempts, createdAt, undecided);
    }
}
