package dev.sluice.observe.deliveries;

import dev.sluice.relay.DeliveryStatus;

import java.util.UUID;

/// The key of a delivery in a list.
///
/// @param hasRow whether the delivery has a row of its own; a delivery that was filtered at ingest
///   is recorded only in its event's row
public record DeliveryKey(
        UUID source, UUID id, UUID connection, DeliveryStatus status, boolean hasRow) {

    boolean isUnfinished() {
        return DeliveryFilter.UNFINISHED_STATUSES.contains(status);
    }
}
