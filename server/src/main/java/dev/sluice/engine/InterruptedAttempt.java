package dev.sluice.engine;

import dev.sluice.gateway.source.SourceId;

/// An attempt that was in flight when its process died.
///
/// @param attempts the number of the delivery's attempts that had finished before this one
/// @param epoch the epoch under which the dead process owned the delivery (see [Lease])
/// @param isAlone whether no other attempt was in flight in the dead process
public record InterruptedAttempt(
        DeliveryId delivery, SourceId source, int attempts, long epoch, boolean isAlone) {}
