package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.RateLimit;
import dev.sluice.gateway.routing.RouteMap;
import dev.sluice.relay.Attempt;
import dev.sluice.relay.circuit.Circuits;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executor;

/// Starts senders and tells them what is next.
///
/// A sender is a virtual thread that sends one delivery of its destination after the other, with a
/// permit of the node. When other destinations wait for one, it hands its permit on after each
/// delivery, so they take [Turns].
final class Senders {

    /// What a sender does with each delivery.
    @FunctionalInterface
    interface Turn {
        void deliver(Place place, Ready ready) throws InterruptedException;
    }

    private final RouteMap routing;
    private final Circuits circuits;
    private final Turns<Place> turns;
    private final Places places;
    private final Executor threads;
    private final InstantSource clock;
    private final Turn turn;
    private final Pacing pacing;

    /// @param threads runs each sender on a thread of its own
    Senders(
            RouteMap routing,
            Circuits circuits,
            Turns<Place> turns,
            Places places,
            Executor threads,
            InstantSource clock,
            Turn turn) {
        this.routing = routing;
        this.circuits = circuits;
        this.turns = turns;
        this.places = places;
        this.threads = threads;
        this.clock = clock;
        this.turn = turn;
        this.pacing = new Pacing(destination -> start(places.of(destination)));
    }

    Pacing pacing() {
        return pacing;
    }

    /// @param known empty when it is deleted
    private int mostAtOnce(Optional<Destination> known) {
        return known.isPresent() ? circuits.width(known.get()) : 1;
    }

    static Optional<RateLimit> rateLimit(Optional<Destination> known) {
        return known.isPresent() ? known.get().spec().rateLimit() : Optional.empty();
    }

    /// Starts a sender for a destination, if it may have one more.
    void start(Place place) {
        if (!addSender(place)) {
            return;
        }
        if (turns.tryTake(place.seat(), isSlow(place, place.outbox().isSlow(clock.instant())))) {
            threads.execute(() -> send(place));
            return;
        }
        place.outbox().removeSender();
        turns.ask(place.seat());
        serveNext(); // a permit may have come free in between
    }

    /// One whose circuit is not closed has one attempt at most, which should not wait for longer
    /// than its claim lasts.
    private boolean isSlow(Place place, boolean isPulseSlow) {
        return isPulseSlow && circuits.of(place.destination()).isClosed();
    }

    /// Counts a sender, if there is anything to send and one more may be sent now.
    private boolean addSender(Place place) {
        var known = routing.destination(place.destination());
        var limit = rateLimit(known);
        if (limit.isPresent() && !place.outbox().pace().isOpen(limit.get())) {
            pacing.leave(place.destination());
            return false;
        }
        int most = mostAtOnce(known);
        return place.outbox()
                .addSender(turns.isScarce() ? Math.min(most, place.outbox().width()) : most);
    }

    /// Starts senders of those that wait for a permit, in turn, while there are permits.
    void serveNext() {
        for (var next = turns.next(); next.isPresent(); next = turns.next()) {
            var place = next.get().destination();
            if (addSender(place)) {
                threads.execute(() -> send(place));
            } else {
                turns.give(place.seat());
            }
        }
    }

    private void send(Place place) {
        try {
            for (var next = next(place); next.isPresent(); ) {
                start(place); // as many as may be, also after there were no permits
                turn.deliver(place, next.get());
                next = turns.mayKeep(place.seat()) ? next(place) : handOn(place);
            }
        } catch (InterruptedException e) {
            place.outbox().removeSender();
            Thread.currentThread().interrupt();
        } finally {
            turns.give(place.seat());
            serveNext();
        }
    }

    /// Ends a sender, whose destination waits for its next turn.
    private Optional<Ready> handOn(Place place) {
        if (place.outbox().removeSender()) {
            turns.ask(place.seat());
        }
        return Optional.empty();
    }

    /// For a sender already counted; empty ends that sender.
    private Optional<Ready> next(Place place) {
        var outbox = place.outbox();
        var known = routing.destination(place.destination());
        var limit = rateLimit(known);
        if (limit.isPresent() && !outbox.pace().take(limit.get())) {
            outbox.removeSender();
            start(place); // now or, most likely, when it is time
            return Optional.empty();
        }
        var next = outbox.next(mostAtOnce(known));
        if (next.isEmpty() && limit.isPresent()) {
            outbox.pace().giveBack(limit.get());
        }
        return next;
    }

    /// An attempt at a destination ended.
    ///
    /// @param made empty when it turned out to be none
    void ended(Place place, Optional<Attempt> made) {
        if (made.isPresent()) {
            turns.stands(place.seat(), isSlow(place, place.outbox().ended(made.get())));
        } else {
            place.outbox().withdrawn();
        }
    }

    /// Feels each destination's pulse: one that falls silent with all its senders out starts and
    /// ends nothing that would tell.
    void feelPulses() {
        var now = clock.instant();
        for (var place : places.all()) {
            turns.stands(place.seat(), isSlow(place, place.outbox().isSlow(now)));
        }
        serveNext();
    }

    /// How many more attempts may be under way.
    int permitsLeft() {
        return turns.free();
    }

    /// Whether all attempts ended within the time.
    boolean awaitAll(Duration timeout) throws InterruptedException {
        return turns.awaitAll(timeout);
    }
}
