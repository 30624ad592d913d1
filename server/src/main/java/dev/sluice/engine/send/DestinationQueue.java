package dev.sluice.engine.send;

import dev.sluice.engine.Attempt;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.share.RateLimiter;
import dev.sluice.engine.share.SlownessDetector;
import dev.sluice.engine.share.Standing;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The queue of one destination's deliveries in this node's memory. It also counts the senders that
/// are sending these deliveries.
///
/// Live deliveries (all except resends) are sent before resends, but a waiting resend is sent after
/// fifteen live deliveries in a row. Fresh live deliveries come straight from ingest, and waiting
/// ones from the database. While both are queued, they are sent alternately. All methods are short
/// and synchronize on this object.
final class DestinationQueue {

    /// The maximum number of fresh deliveries queued for one destination, including those whose
    /// commit is in progress.
    static final int MAX_FRESH_DELIVERIES = 2_048;

    /// The maximum number of live deliveries sent in a row while a resend is waiting.
    private static final int MAX_LIVE_IN_A_ROW = 15;

    private final RateLimiter rateLimiter;
    private final SlownessDetector slowness = new SlownessDetector();
    private final ArrayDeque<LoadedDelivery> fresh = new ArrayDeque<>();
    private final ArrayDeque<LoadedDelivery> waiting = new ArrayDeque<>();
    private final ArrayDeque<LoadedDelivery> resends = new ArrayDeque<>();
    private int reserved;
    private int senderCount;
    private int liveInARow;
    private boolean wasFreshLast;
    private boolean isRetired;

    /// @param rateLimiter limits the delivery attempts to this destination; used only if the
    ///   destination has a rate limit
    DestinationQueue(RateLimiter rateLimiter) {
        this.rateLimiter = rateLimiter;
    }

    RateLimiter rateLimiter() {
        return rateLimiter;
    }

    /// Reserves a slot for one fresh delivery. Returns false if `limit` slots are in use or the
    /// queue is retired.
    synchronized boolean reserve(int limit) {
        if (isRetired || reserved + fresh.size() >= limit) {
            return false;
        }
        reserved++;
        return true;
    }

    synchronized void cancelReservation() {
        reserved--;
    }

    /// Adds a fresh delivery, using the slot reserved for it.
    synchronized void addFresh(LoadedDelivery loaded) {
        reserved--;
        fresh.add(loaded);
    }

    synchronized void addWaiting(LoadedDelivery loaded) {
        (loaded.delivery().trigger() == Trigger.RESEND ? resends : waiting).add(loaded);
    }

    /// Whether any live delivery is queued.
    synchronized boolean hasLive() {
        return !fresh.isEmpty() || !waiting.isEmpty();
    }

    private boolean isEmpty() {
        return fresh.isEmpty() && waiting.isEmpty() && resends.isEmpty();
    }

    /// If a delivery is queued and fewer than `limit` senders are running, counts one more sender
    /// and returns true. Otherwise returns false.
    synchronized boolean tryAddSender(int limit) {
        if (senderCount >= limit || isEmpty()) {
            return false;
        }
        senderCount++;
        return true;
    }

    /// Stops counting a sender that could not start or is about to end early. Returns whether
    /// deliveries are still queued.
    synchronized boolean removeSender() {
        senderCount--;
        return !isEmpty();
    }

    /// Whether a sender is running.
    synchronized boolean isSending() {
        return senderCount > 0;
    }

    /// Whether deliveries are queued and no sender is running.
    synchronized boolean isWaiting() {
        return senderCount == 0 && !isEmpty();
    }

    /// Returns the next delivery for a running sender (one that `senderCount` includes). Returns
    /// empty if none is queued or more than `limit` senders are running. The sender must then end,
    /// and `senderCount` no longer includes it.
    synchronized Optional<LoadedDelivery> next(int limit) {
        if (senderCount > limit || isEmpty()) {
            senderCount--;
            return Optional.empty();
        }
        if (!resends.isEmpty() && (!hasLive() || liveInARow >= MAX_LIVE_IN_A_ROW)) {
            liveInARow = 0;
            return Optional.of(resends.remove());
        }
        liveInARow = resends.isEmpty() ? 0 : liveInARow + 1;
        boolean takesWaiting = wasFreshLast || fresh.isEmpty();
        wasFreshLast = waiting.isEmpty() || !takesWaiting;
        return Optional.of(wasFreshLast ? fresh.remove() : waiting.remove());
    }

    /// Records that an attempt is beginning. The caller must pass the returned object to
    /// [#attemptEnded] or [#attemptWithdrawn].
    synchronized SlownessDetector.Run attemptBegan(Instant now) {
        return slowness.began(now);
    }

    /// Records the end of an attempt. Returns the destination's standing after the attempt.
    synchronized Standing attemptEnded(SlownessDetector.Run run, Attempt attempt) {
        slowness.ended(run, attempt.latency());
        return slowness.standing(attempt.attemptedAt().plus(attempt.latency()));
    }

    /// Undoes [#attemptBegan]. Called if no attempt was made or its outcome is unknown.
    synchronized void attemptWithdrawn(SlownessDetector.Run run) {
        slowness.withdrawn(run);
    }

    synchronized Standing standing(Instant now) {
        return slowness.standing(now);
    }

    /// Retires the queue if it is empty and has no reservations and no senders. Returns whether the
    /// queue was retired. A retired queue accepts no reservations.
    synchronized boolean retire() {
        isRetired = isEmpty() && reserved == 0 && senderCount == 0;
        return isRetired;
    }

    /// Removes and returns every queued delivery.
    synchronized List<LoadedDelivery> removeAll() {
        var all = new ArrayList<LoadedDelivery>(fresh);
        all.addAll(waiting);
        all.addAll(resends);
        fresh.clear();
        waiting.clear();
        resends.clear();
        return all;
    }
}
