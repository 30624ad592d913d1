package dev.sluice.engine.send;

import dev.sluice.engine.Attempt;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.engine.share.FairPermits;
import dev.sluice.engine.share.RateLimitQueue;
import dev.sluice.engine.share.SlownessDetector;
import dev.sluice.engine.share.Standing;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.RateLimit;
import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.platform.loop.Wake;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/// Starts senders and gives each sender its next delivery.
///
/// A sender is a virtual thread that sends one destination's deliveries one after the other. It
/// holds one of the node's permits. After each delivery, the sender gives up its permit if another
/// destination should have it, or if the [Standing] of its own destination has changed; see
/// [FairPermits#mayReuse]. Thread-safe.
final class SenderPool {

    /// Sends one delivery on the sender's thread.
    @FunctionalInterface
    interface Deliverer {
        void deliver(DestinationState state, LoadedDelivery loaded) throws InterruptedException;
    }

    private final RoutingTable routing;
    private final Circuits circuits;
    private final FairPermits<DestinationState> fairPermits;
    private final DestinationStates states;
    private final Executor threads;
    private final InstantSource clock;
    private final Deliverer deliverer;
    private final RateLimitQueue rateLimitQueue;

    /// The permits of the running senders.
    private final Set<SenderPermit> permits = ConcurrentHashMap.newKeySet();

    /// When the longest-starving destination began to starve; [Instant#MAX] if none is starving.
    /// Set by [#updateStandings].
    private volatile Instant longestStarvingSince = Instant.MAX;

    /// @param threads runs each sender on its own thread
    /// @param rateLimits wakes the loop that runs the rounds of [#rateLimitQueue]
    SenderPool(
            RoutingTable routing,
            Circuits circuits,
            FairPermits<DestinationState> fairPermits,
            DestinationStates states,
            Executor threads,
            InstantSource clock,
            Deliverer deliverer,
            Wake rateLimits) {
        this.routing = routing;
        this.circuits = circuits;
        this.fairPermits = fairPermits;
        this.states = states;
        this.threads = threads;
        this.clock = clock;
        this.deliverer = deliverer;
        this.rateLimitQueue =
                new RateLimitQueue(
                        destination -> startSender(states.of(destination)), clock, rateLimits);
    }

    RateLimitQueue rateLimitQueue() {
        return rateLimitQueue;
    }

    /// Returns how many delivery attempts to the destination this node may have in progress at the
    /// same time.
    ///
    /// @param known the destination; empty if it is deleted or this node does not know it yet
    private int maxConcurrency(DestinationState state, Optional<Destination> known) {
        return known.isPresent()
                ? state.queue().withinWindow(circuits.concurrencyLimit(known.get()))
                : 1;
    }

    static Optional<RateLimit> rateLimit(Optional<Destination> known) {
        return known.isPresent() ? known.get().spec().rateLimit() : Optional.empty();
    }

    /// Starts one more sender for a destination if the destination's limits allow it. If no permit
    /// is free for the sender, the destination waits for one.
    void startSender(DestinationState state) {
        if (!addSender(state)) {
            return;
        }
        var standing = state.queue().standing(clock.instant());
        if (fairPermits.tryAcquire(state.permitHolder(), standing)) {
            state.gotPermit();
            threads.execute(() -> runSender(state, standing));
            return;
        }
        state.queue().removeSender();
        fairPermits.enqueue(state.permitHolder());
        startWaitingSenders(); // a permit may have been freed in between
    }

    /// If a delivery is queued and the destination's limits allow another attempt, increments the
    /// destination's sender count and returns true. Otherwise returns false. If the rate limit or
    /// the pace does not allow another attempt yet, also adds the destination to the
    /// [RateLimitQueue].
    private boolean addSender(DestinationState state) {
        var known = routing.destination(state.destination());
        var limit = rateLimit(known);
        if (limit.isPresent() && !state.queue().rateLimiter().isAllowed(limit.get())) {
            rateLimitQueue.add(state.destination());
            return false;
        }
        if (state.queue().isPaced()) {
            var now = clock.instant();
            var next = state.queue().nextBeginning(now);
            if (next.isAfter(now)) {
                if (!state.queue().isQueueEmpty()) {
                    rateLimitQueue.addUntil(state.destination(), next);
                }
                return false;
            }
        }
        return state.queue().tryAddSender(maxConcurrency(state, known));
    }

    /// Starts senders for waiting destinations, in fair order, while permits are free.
    void startWaitingSenders() {
        for (var next = fairPermits.acquireNext();
                next.isPresent();
                next = fairPermits.acquireNext()) {
            var state = next.get().permitHolder().destination();
            var half = next.get().half();
            state.gotPermit();
            if (addSender(state)) {
                threads.execute(() -> runSender(state, half));
            } else {
                fairPermits.release(state.permitHolder(), half);
            }
        }
    }

    /// @param half the half of the [FairPermits] that the sender's permit was taken from
    private void runSender(DestinationState state, Standing half) {
        var permit = new SenderPermit(fairPermits, state.permitHolder(), half);
        permits.add(permit);
        try {
            for (var next = next(state); next.isPresent(); ) {
                startSender(state); // starts another sender if the limits allow one
                permit.attemptBegins(clock.instant());
                deliverer.deliver(state, next.get());
                next = permit.attemptEnded() ? next(state) : yieldPermit(state);
            }
        } catch (InterruptedException e) {
            state.queue().removeSender();
            Thread.currentThread().interrupt();
        } finally {
            permits.remove(permit);
            permit.giveBack();
            startWaitingSenders();
        }
    }

    /// Makes the sender end, so that its permit becomes free. If deliveries are still queued, the
    /// destination joins the line for another permit.
    private Optional<LoadedDelivery> yieldPermit(DestinationState state) {
        if (state.queue().removeSender()) {
            fairPermits.enqueue(state.permitHolder());
        }
        return Optional.empty();
    }

    /// Returns the next delivery for a running sender (one that the queue's `senderCount`
    /// includes). Returns empty if the sender must end; `senderCount` then no longer includes it.
    private Optional<LoadedDelivery> next(DestinationState state) {
        var queue = state.queue();
        var known = routing.destination(state.destination());
        var limit = rateLimit(known);
        if (limit.isPresent() && !queue.rateLimiter().tryAcquire(limit.get())) {
            queue.removeSender();
            startSender(state); // starts now, or when the rate limit allows it
            return Optional.empty();
        }
        boolean isPaced = queue.isPaced();
        if (isPaced && !queue.tryBegin(clock.instant())) {
            limit.ifPresent(each -> queue.rateLimiter().refund(each));
            queue.removeSender();
            startSender(state); // starts when the pace allows it
            return Optional.empty();
        }
        var next = queue.next(maxConcurrency(state, known));
        if (next.isEmpty() && limit.isPresent()) {
            queue.rateLimiter().refund(limit.get());
        }
        if (next.isEmpty() && isPaced) {
            queue.withdrawBeginning();
        }
        return next;
    }

    /// Updates the destination's standing after an attempt.
    ///
    /// @param made the attempt; empty if none was made or its outcome is unknown
    void attemptEnded(DestinationState state, SlownessDetector.Run run, Optional<Attempt> made) {
        if (made.isPresent()) {
            fairPermits.updateStanding(
                    state.permitHolder(), state.queue().attemptEnded(run, made.get()));
        } else {
            state.queue().attemptWithdrawn(run);
        }
    }

    /// Updates the standing of every destination, records which destinations are starving, moves
    /// the permits of slow attempts to their own share, and starts waiting senders. Called about
    /// once a second because a destination whose attempts all hang triggers no other update.
    void updateStandings() {
        var now = clock.instant();
        var longest = Instant.MAX;
        for (var state : states.all()) {
            fairPermits.updateStanding(state.permitHolder(), state.queue().standing(now));
            if (state.queue().isPaced()
                    && state.queue().forgetPace(now, routing.destination(state.destination()))) {
                startSender(state);
            }
            state.updateStarving(isStarving(state), now);
            var since = state.starvingSince();
            longest = since.isBefore(longest) ? since : longest;
        }
        longestStarvingSince = longest;
        moveSlow(now.minus(SlownessDetector.SLOW_AFTER));
        fairPermits.beginRound();
        startWaitingSenders();
    }

    /// Moves the permits of the attempts that began before `latest`, earliest first.
    private void moveSlow(Instant latest) {
        permits.stream()
                .map(permit -> Map.entry(permit.attemptSince(), permit))
                .filter(running -> running.getKey().isBefore(latest))
                .sorted(Map.Entry.comparingByKey())
                .forEach(running -> running.getValue().moveToSlow());
    }

    /// Whether the destination has queued deliveries and no sender, even though it is not held back
    /// by a pause, its circuit, its rate limit or its pace. `max_in_flight` cannot hold back a
    /// destination without a sender.
    private boolean isStarving(DestinationState state) {
        if (!state.queue().isWaiting() || !circuits.of(state.destination()).isClosed()) {
            return false;
        }
        var known = routing.destination(state.destination());
        var limit = rateLimit(known);
        boolean isPaused = known.isPresent() && known.get().isPaused();
        var now = clock.instant();
        return !isPaused
                && !state.queue().nextBeginning(now).isAfter(now)
                && (limit.isEmpty() || state.queue().rateLimiter().isAllowed(limit.get()));
    }

    /// Whether any destination has been starving for longer than `time`. A destination is starving
    /// if it has deliveries in memory but no attempt in progress, although its own limits would
    /// allow one. The result is as of the last call to [#updateStandings].
    boolean isStarvedFor(Duration time) {
        return longestStarvingSince.isBefore(clock.instant().minus(time));
    }

    /// Returns how many more attempts may start.
    int permitsLeft() {
        return fairPermits.free();
    }

    /// Returns how many permits a workspace holds.
    int held(FairPermits.WorkspacePermits workspace) {
        return fairPermits.held(workspace);
    }

    /// Waits until all attempts have ended. Returns whether they did so within `timeout`.
    boolean awaitIdle(Duration timeout) throws InterruptedException {
        return fairPermits.awaitAllFree(timeout);
    }
}
