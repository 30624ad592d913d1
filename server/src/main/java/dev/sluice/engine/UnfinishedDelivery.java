package dev.sluice.engine;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;
import java.util.Optional;

/// A delivery that has not ended yet, as stored in the `delivery_work` table.
///
/// @param attempts the number of attempts finished so far
/// @param createdAt when the delivery was created; empty if it was created together with its event
/// @param isUndecided whether the result of the connection's filter is still unknown; it is
///   determined before the first attempt
public record UnfinishedDelivery(
        DeliveryId id,
        SourceId source,
        ConnectionId connection,
        Trigger trigger,
        int attempts,
        Optional<Instant> createdAt,
        boolean isUndecided) {

    /// Creates a delivery that is not undecided: its connection has no filter, or its event has
    /// passed the filter.
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
