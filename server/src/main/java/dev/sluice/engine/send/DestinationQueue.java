package dev.sluice.engine.send;

import dev.sluice.engine.Attempt;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.settle.Pace;
import dev.sluice.engine.share.RateLimiter;
import dev.sluice.engine.share.SlownessDetector;
import dev.sluice.engine.share.Standing;
import dev.sluice.gateway.destination.Destination;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;

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

    /// How many deliveries to a destination with a small window may be in memory.
    private static final int MIN_WITHIN_WINDOW = 16;

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

    /// When the destination last answered 2xx.
    private Instant lastTaken = Instant.MIN;

    /// The destination's pace; null until it refuses, and again once that is forgotten.
    private volatile @Nullable Pace pace;

    /// When the settings that the pace was learned under were saved.
    private Instant pacedSettings = Instant.MIN;

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

    synchronized boolean isQueueEmpty() {
        return isEmpty();
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

    /// Takes in what the destination answered. Returns whether the answer counts for the circuit if
    /// it is a failure; see [Pace#answered].
    synchronized boolean answered(
            Destination destination,
            Pace.CapacitySignal signal,
            Duration retryAfter,
            AnsweredAttempt attempt) {
        var known = pace;
        if (known == null && signal.isOfCapacity()) {
            known = new Pace(lastTaken, new SplittableRandom(attempt.begun().toEpochMilli()));
            pace = known;
            pacedSettings = destination.updatedAt();
        }
        if (signal == Pace.CapacitySignal.TAKEN) {
            lastTaken = attempt.ended();
        }
        if (known == null) {
            return true;
        }
        if (isEmpty()) {
            known.idle(attempt.ended());
        }
        boolean counts =
                known.answered(
                        new Pace.PaceAnswer(
                                signal,
                                retryAfter,
                                attempt.begun(),
                                attempt.ended(),
                                attempt.isFirst(),
                                Math.max(1, senderCount),
                                destination.spec().maxInFlight()));
        if (attempt.isProbe() && signal == Pace.CapacitySignal.TAKEN) {
            known.reopened();
        }
        return counts;
    }

    /// An attempt that was answered.
    record AnsweredAttempt(Instant begun, Instant ended, boolean isFirst, boolean isProbe) {}

    /// Whether the destination may have a pace, which the methods below then know.
    boolean isPaced() {
        return pace != null;
    }

    /// Whether the destination has refused so that its pace was lowered.
    synchronized boolean hasLowerPace() {
        var known = pace;
        return known != null && known.isLowered();
    }

    /// Returns how many attempts may be on the wire.
    ///
    /// @param limit how many there may be without a pace
    int withinWindow(int limit) {
        return isPaced() ? Math.min(limit, window().orElse(limit)) : limit;
    }

    private synchronized OptionalInt window() {
        var known = pace;
        return known == null ? OptionalInt.empty() : known.window();
    }

    /// Returns how many deliveries may be in memory: what the destination takes in a second, or
    /// enough for its window.
    ///
    /// @param limit how many there may be without a pace
    int withinSecond(int limit) {
        return isPaced() ? Math.min(limit, takenInSecond().orElse(limit)) : limit;
    }

    private synchronized OptionalInt takenInSecond() {
        var known = pace;
        if (known == null) {
            return OptionalInt.empty();
        }
        var rate = known.rate();
        if (rate.isPresent()) {
            return OptionalInt.of((int) Math.ceil(rate.getAsDouble()));
        }
        var window = known.window();
        return window.isPresent()
                ? OptionalInt.of(Math.max(MIN_WITHIN_WINDOW, 2 * window.getAsInt()))
                : window;
    }

    /// Returns when the next attempt may begin; not after `now` if the pace lets it begin now.
    synchronized Instant nextBeginning(Instant now) {
        var known = pace;
        return known == null ? now : known.nextBeginning(now);
    }

    /// Takes a slot of the pace; returns false if no attempt may begin yet.
    synchronized boolean tryBegin(Instant now) {
        var known = pace;
        if (known == null) {
            return true;
        }
        if (known.nextBeginning(now).isAfter(now)) {
            return false;
        }
        known.began(now);
        return true;
    }

    /// Undoes [#tryBegin], because there was nothing to send.
    synchronized void withdrawBeginning() {
        var known = pace;
        if (known != null) {
            known.withdrawn();
        }
    }

    /// Forgets the pace some time after its last signal, or if the destination was saved again.
    /// Returns whether a pace was forgotten.
    synchronized boolean forgetPace(Instant now, Optional<Destination> destination) {
        var known = pace;
        if (known == null) {
            return false;
        }
        boolean isKept =
                !known.isForgotten(now)
                        && destination.isPresent()
                        && destination.get().updatedAt().equals(pacedSettings);
        if (!isKept) {
            pace = null;
        }
        return !isKept;
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
