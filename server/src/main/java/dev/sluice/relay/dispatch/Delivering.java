package dev.sluice.relay.dispatch;

import dev.sluice.gateway.routing.Expiry;
import dev.sluice.gateway.routing.Gone;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RouteMap;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.Attempt;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.OnTheWire;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.relay.circuit.Circuits;
import dev.sluice.relay.circuit.Evidence;
import dev.sluice.relay.send.Body;
import dev.sluice.relay.send.Parcel;
import dev.sluice.relay.send.Sender;
import dev.sluice.relay.settle.Settlement;
import dev.sluice.relay.store.Settled;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// One delivery's turn: may it be sent now, send it, judge what came back.
public final class Delivering {

    private static final Logger log = LoggerFactory.getLogger(Delivering.class);

    private final RouteMap routing;
    private final Expiry expiry;
    private final Sender sender;
    private final Settlement settlement;
    private final OnTheWire wire;
    private final Circuits circuits;
    private final Holds holds;
    private final InstantSource clock;

    public Delivering(
            RouteMap routing,
            Expiry expiry,
            Sender sender,
            Settlement settlement,
            Circuits circuits,
            OnTheWire wire,
            InstantSource clock) {
        this.routing = routing;
        this.expiry = expiry;
        this.sender = sender;
        this.settlement = settlement;
        this.wire = wire;
        this.circuits = circuits;
        this.holds = new Holds(circuits);
        this.clock = clock;
    }

    /// What is to be written; empty when it must wait: it is held, its connection is not known here
    /// yet, or the attempt was cut off by our own stop, so that nothing is known of it.
    ///
    /// @param attemptedAt when its turn came
    /// @param mayStart whether it may still be sent from here
    /// @param isAlone see [OnTheWire]
    Optional<Settled> deliver(
            Ready ready, Instant attemptedAt, BooleanSupplier mayStart, boolean isAlone) {
        var work = ready.work();
        if (isExpired(work)) {
            return Optional.of(ended(work, ErrorCode.EVENT_EXPIRED, clock.instant()));
        }
        var route = routing.route(work.connection());
        if (route.isEmpty()) {
            return routing.gone(work.connection()).map(gone -> ended(work, gone));
        }
        var destination = route.get().destination();
        int started = circuits.of(destination.id()).generation(); // before it is asked: see Circuit
        if (holds.of(route.get(), ready, attemptedAt).isPresent()) {
            return Optional.empty();
        }
        var outcome =
                send(
                        ready,
                        route.get(),
                        () -> mayStart.getAsBoolean() && isStillOpen(work),
                        isAlone);
        if (outcome instanceof Outcome.Unreachable(ErrorCode code, _, _)
                && code == ErrorCode.INTERRUPTED) {
            return Optional.empty();
        }
        var settled = settlement.settle(work, route.get(), attemptedAt, outcome);
        switch (Evidence.of(outcome, destination.spec().timeout())) {
            case REACHED -> circuits.reached(destination);
            case FAILED -> circuits.failed(destination.id(), started, error(settled));
            case NONE -> {}
        }
        return Optional.of(settled);
    }

    private static String error(Settled settled) {
        Optional<Attempt> attempt =
                switch (settled) {
                    case Settled.Finished finished -> finished.attempt();
                    case Settled.Retried retried -> Optional.of(retried.attempt());
                    case Settled.Released _ -> Optional.empty();
                };
        return attempt.flatMap(Attempt::errorMessage).orElse("");
    }

    /// Whether the event's retention is over: no attempt begins after that, which is what the
    /// ending of expired deliveries relies on.
    boolean isExpired(Work work) {
        return expiry.isOver(work.source(), Uuid7.timeOf(work.id().value()), clock.instant());
    }

    /// Connecting takes time, and meanwhile it may have been held or deleted.
    private boolean isStillOpen(Work work) {
        return routing.route(work.connection())
                .filter(route -> route.hold(work.trigger() == Trigger.RESEND).isEmpty())
                .isPresent();
    }

    /// A bug in sending is an attempt that failed, not a delivery that hangs.
    private Outcome send(Ready ready, Route route, BooleanSupplier mayStart, boolean isAlone) {
        int slot = wire.enter(ready.work(), ready.epoch(), isAlone);
        try {
            return sender.send(parcel(ready, route), mayStart);
        } catch (RuntimeException | Error e) {
            log.atError()
                    .addKeyValue("delivery_id", ready.work().id())
                    .setCause(e)
                    .log("attempt.crashed");
            return new Outcome.Unreachable(
                    ErrorCode.INVALID_RESPONSE,
                    "The attempt failed for a reason of ours; see the log",
                    Duration.ZERO);
        } finally {
            wire.leave(slot);
        }
    }

    private static Parcel parcel(Ready ready, Route route) {
        var spec = route.destination().spec();
        var work = ready.work();
        return new Parcel(
                spec.url(),
                Body.of(ready.payload().body()),
                ready.payload().headers(),
                withheld(route),
                spec.customHeaders(),
                spec.auth(),
                spec.timeout(),
                work.id().event(),
                work.id(),
                work.attempts() + 1,
                route.connection().transformation(),
                route.source().name());
    }

    /// The source's own credential is for us alone.
    private static Set<String> withheld(Route route) {
        return route.source().verification().credentialHeader().map(Set::of).orElse(Set.of());
    }

    /// The next that is sent alone is alone until that ends.
    void beginSolitude() {
        wire.beginSolitude();
    }

    /// Others are let in beside the one that is sent alone.
    void endSolitude() {
        wire.endSolitude();
    }

    /// The end of a delivery whose connection or destination is gone.
    Settled ended(Work work, Gone gone) {
        var reason =
                switch (gone) {
                    case CONNECTION -> ErrorCode.CONNECTION_DELETED;
                    case DESTINATION -> ErrorCode.DESTINATION_DELETED;
                };
        return ended(work, reason, clock.instant());
    }

    static Settled ended(Work work, ErrorCode reason, Instant at) {
        return new Settled.Finished(
                work, DeliveryStatus.FAILED, Optional.empty(), Optional.of(reason), at);
    }
}
