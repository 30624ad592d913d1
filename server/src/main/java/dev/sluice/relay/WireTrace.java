package dev.sluice.relay;

import dev.sluice.gateway.source.SourceId;

/// An attempt that was on the wire when the process that made it died.
///
/// @param attempts made before it
/// @param epoch under which that process had the delivery
/// @param isAlone whether nothing else was on the wire of that process
public record WireTrace(
        DeliveryId delivery, SourceId source, int attempts, long epoch, boolean isAlone) {}
