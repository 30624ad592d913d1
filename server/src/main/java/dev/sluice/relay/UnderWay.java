package dev.sluice.relay;

import java.time.Instant;
import java.util.Optional;

/// What this node has on the wire now, for whoever looks on.
public interface UnderWay {

    /// Since when an attempt of this delivery has been under way here; empty when there is none.
    Optional<Instant> since(DeliveryId delivery);

    /// Whether deliveries of this owner are in this node's memory, so that `since` knows of them
    /// all.
    boolean isOwner(long epoch);
}
