package dev.sluice.relay.replay;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.DeliveryStatus;

import java.util.Set;
import java.util.UUID;

/// Which events a bulk resend is about: those whose deliveries on a connection ended so.
///
/// @param statuses of `succeeded`, `failed`, `exhausted`
/// @param after ids up to this one are left out
/// @param to the last id that it is about
record Selection(
        SourceId source,
        ConnectionId connection,
        Set<DeliveryStatus> statuses,
        UUID after,
        UUID to) {

    Selection {
        statuses = Set.copyOf(statuses);
    }

    Selection from(UUID position) {
        return new Selection(source, connection, statuses, position, to);
    }

    /// Whether events are meant whose newest delivery succeeded, or is under way.
    boolean isOfSucceeded() {
        return statuses.contains(DeliveryStatus.SUCCEEDED);
    }
}
