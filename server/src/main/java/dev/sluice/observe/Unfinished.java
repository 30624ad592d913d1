package dev.sluice.observe;

import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.UnderWay;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A delivery at work.
///
/// @param owner the epoch of the node that has it in memory; empty while it waits in its lane
/// @param createdAt its event's arrival, for one made at ingest
public record Unfinished(DeliveryId id, Optional<Long> owner, Instant createdAt) {

    /// An attempt that has been under way for this long reads `delivering`.
    private static final Duration LONG_UNDER_WAY = Duration.ofSeconds(1);

    /// `pending` or `delivering`.
    public DeliveryStatus status(UnderWay underWay, Instant now) {
        boolean isDelivering =
                attemptBegan(underWay)
                        .filter(began -> !began.plus(LONG_UNDER_WAY).isAfter(now))
                        .isPresent();
        return isDelivering ? DeliveryStatus.DELIVERING : DeliveryStatus.PENDING;
    }

    /// What this node has on the wire it knows. Of what is in another node's memory only its age is
    /// known: rarely does anything wait there for long.
    private Optional<Instant> attemptBegan(UnderWay underWay) {
        boolean isElsewhere = owner.filter(epoch -> !underWay.isOwner(epoch)).isPresent();
        return isElsewhere ? Optional.of(createdAt) : underWay.since(id);
    }
}
