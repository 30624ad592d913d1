package dev.sluice.features.recovery;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The events that a bulk resend selects: those with a delivery on one connection that ended with
/// one of the given statuses. Unless the statuses include `succeeded`, the event's newest delivery
/// on the connection must also be failed or exhausted.
///
/// @param statuses any of `succeeded`, `failed`, `exhausted`
/// @param after selects only deliveries with a greater id
/// @param to selects only deliveries with this id or a smaller one
/// @param condition selects only deliveries that satisfy this condition; not applied if the
///   statuses include `succeeded`
public record ResendSelection(
        SourceId source,
        ConnectionId connection,
        Set<DeliveryStatus> statuses,
        UUID after,
        UUID to,
        Optional<FailureCondition> condition) {

    public ResendSelection {
        statuses = Set.copyOf(statuses);
    }

    public ResendSelection(
            SourceId source,
            ConnectionId connection,
            Set<DeliveryStatus> statuses,
            UUID after,
            UUID to) {
        this(source, connection, statuses, after, to, Optional.empty());
    }

    public ResendSelection startingAfter(UUID position) {
        return new ResendSelection(source, connection, statuses, position, to, condition);
    }

    /// Whether the statuses include `succeeded`. If so, an event that has a delivery with a
    /// selected status is included even if its newest delivery succeeded or is unfinished.
    /// Otherwise, an event is included only if its newest delivery is failed or exhausted.
    public boolean includesSucceeded() {
        return statuses.contains(DeliveryStatus.SUCCEEDED);
    }
}
