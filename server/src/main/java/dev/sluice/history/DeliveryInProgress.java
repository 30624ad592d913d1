package dev.sluice.history;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.InFlightAttempts;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// An unfinished delivery, with the data that decides whether it is shown as `pending` or
/// `delivering`.
///
/// @param owner the epoch of the node that has the delivery in memory; empty while the delivery is
///   waiting in its lane. An epoch is the number that identifies a node; a node gets a new one each
///   time it starts and after other nodes have declared it dead. A lane is a queue in the database
///   in which the deliveries of one connection wait
/// @param createdAt when the delivery was created; if ingest created it, this is when its event was
///   received
public record DeliveryInProgress(DeliveryId id, Optional<Long> owner, Instant createdAt) {

    /// How long an attempt must have been running before its delivery is shown as `delivering`.
    private static final Duration DELIVERING_THRESHOLD = Duration.ofSeconds(1);

    /// Returns `pending` or `delivering`.
    public DeliveryStatus status(InFlightAttempts inFlightAttempts, Instant now) {
        boolean isDelivering =
                attemptStartedAt(inFlightAttempts)
                        .filter(began -> !began.plus(DELIVERING_THRESHOLD).isAfter(now))
                        .isPresent();
        return isDelivering ? DeliveryStatus.DELIVERING : DeliveryStatus.PENDING;
    }

    /// Returns when the delivery's current attempt began, or empty if there is none. This node
    /// knows the exact time only for its own attempts. If another node has the delivery in memory,
    /// returns when the delivery was created, because deliveries rarely wait in memory for long.
    private Optional<Instant> attemptStartedAt(InFlightAttempts inFlightAttempts) {
        boolean isElsewhere =
                owner.filter(epoch -> !inFlightAttempts.isThisNode(epoch)).isPresent();
        return isElsewhere ? Optional.of(createdAt) : inFlightAttempts.attemptStartedAt(id);
    }
}
