package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryStatus;

import java.util.UUID;

/// Identifies a delivery and gives its status. To build a list, the server first finds these keys
/// and then reads the deliveries' details.
///
/// @param hasRow whether the delivery has its own row; a delivery that was filtered at ingest is
///   recorded only in its event's row
public record DeliveryKey(
        UUID source, UUID id, UUID connection, DeliveryStatus status, boolean hasRow) {

    boolean isUnfinished() {
        return DeliveryFilter.UNFINISHED_STATUSES.contains(status);
    }
}
