package dev.sluice.relay.replay;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.DeliveryStatus;

import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The events of a bulk resend: those whose deliveries on one connection ended with given statuses.
///
/// @param statuses any of `succeeded`, `failed`, `exhausted`
/// @param after only deliveries with a greater id
/// @param to only deliveries with this id or a smaller one
/// @param condition only deliveries that ended so, and that nobody dismissed
record ResendSelection(
        SourceId source,
        ConnectionId connection,
        Set<DeliveryStatus> statuses,
        UUID after,
        UUID to,
        Optional<FailureCondition> condition) {

    ResendSelection {
        statuses = Set.copyOf(statuses);
    }

    ResendSelection(
            SourceId source,
            ConnectionId connection,
            Set<DeliveryStatus> statuses,
            UUID after,
            UUID to) {
        this(source, connection, statuses, after, to, Optional.empty());
    }

    ResendSelection startingAfter(UUID position) {
        return new ResendSelection(source, connection, statuses, position, to, condition);
    }

    /// Whether the selection includes events whose newest delivery succeeded or is unfinished.
    boolean includesSucceeded() {
        return statuses.contains(DeliveryStatus.SUCCEEDED);
    }
}
