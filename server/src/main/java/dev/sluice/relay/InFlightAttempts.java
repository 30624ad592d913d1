package dev.sluice.relay;

import java.time.Instant;
import java.util.Optional;

/// Read-only access to the attempts that this node is making now.
public interface InFlightAttempts {

    /// Returns when this delivery's current attempt began, or empty if no attempt is in progress.
    Optional<Instant> attemptStartedAt(DeliveryId delivery);

    /// Whether `epoch` belongs to this node. If so, [#attemptStartedAt] covers every delivery owned
    /// under that epoch.
    boolean isThisNode(long epoch);
}
