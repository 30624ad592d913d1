package dev.sluice.engine;

import java.time.Instant;
import java.util.Optional;

/// Tells which attempts this node is currently making.
public interface InFlightAttempts {

    /// Returns when this delivery's current attempt began, or empty if no attempt is in progress.
    Optional<Instant> attemptStartedAt(DeliveryId delivery);

    /// Whether `epoch` is this node's current epoch. If so, [#attemptStartedAt] is correct for
    /// every delivery owned under that epoch.
    boolean isThisNode(long epoch);
}
