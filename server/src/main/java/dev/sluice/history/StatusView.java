package dev.sluice.history;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.gateway.routing.HoldReason;

import java.util.Optional;

/// A delivery's status, as the API shows it.
///
/// @param hold why the delivery is held; empty if it is not held
/// @param reason a sentence that says why the delivery has this status and what happens next
public record StatusView(DeliveryStatus status, Optional<HoldReason> hold, String reason) {

    /// Returns the view of a delivery that is not held.
    public static StatusView of(DeliveryStatus status, String reason) {
        return new StatusView(status, Optional.empty(), reason);
    }
}
