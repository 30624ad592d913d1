package dev.sluice.engine.send;

import dev.sluice.engine.share.FairPermits;
import dev.sluice.engine.share.Standing;

import java.time.Instant;

/// The permit of one sender. While an attempt of the sender is slow, the permit may move to the
/// share for slow attempts; the sender then gives it back after that attempt. Thread-safe: the
/// sender uses it, and a loop moves it.
final class SenderPermit {

    private final FairPermits<DestinationState> fairPermits;
    private final FairPermits.PermitHolder<DestinationState> holder;
    private final Standing half;

    /// When the current attempt began; [Instant#MAX] between attempts.
    private volatile Instant attemptSince = Instant.MAX;

    // Guarded by this object's monitor.
    private boolean isMoved;
    private boolean isReturned;

    /// @param half the half of the permits that this one comes from
    SenderPermit(
            FairPermits<DestinationState> fairPermits,
            FairPermits.PermitHolder<DestinationState> holder,
            Standing half) {
        this.fairPermits = fairPermits;
        this.holder = holder;
        this.half = half;
    }

    void attemptBegins(Instant now) {
        attemptSince = now;
    }

    Instant attemptSince() {
        return attemptSince;
    }

    /// Records that the attempt has ended. Returns whether the sender may use the permit for
    /// another delivery.
    synchronized boolean attemptEnded() {
        attemptSince = Instant.MAX;
        return !isMoved && fairPermits.mayReuse(holder, half);
    }

    /// Moves the permit to the slow share, unless it is there already, its attempt has ended, or
    /// the workspace has no room there.
    synchronized void moveToSlow() {
        if (!isMoved && !isReturned && !attemptSince.equals(Instant.MAX)) {
            isMoved = fairPermits.tryMoveToSlow(holder, half);
        }
    }

    synchronized void giveBack() {
        isReturned = true;
        if (isMoved) {
            fairPermits.releaseSlow(holder);
        } else {
            fairPermits.release(holder, half);
        }
    }
}
