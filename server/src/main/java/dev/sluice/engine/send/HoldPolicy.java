package dev.sluice.engine.send;

import dev.sluice.engine.Trigger;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.routing.HoldReason;
import dev.sluice.gateway.routing.Route;

import java.time.Instant;
import java.util.Optional;

/// Decides whether a lane's deliveries may be sent now, and when a sleeping lane should wake. A
/// lane is the queue of one connection's deliveries in the database.
///
/// A lane is on hold while the configuration says so (see [HoldReason]), or while its destination's
/// circuit is not closed. The loops that read and sweep lanes share this policy with the senders.
public record HoldPolicy(Circuits circuits) {

    private static final int SPREAD_STEPS = 1_024;

    /// Returns the reason why the lane of this route and trigger is on hold, or empty if it is not.
    /// A hold in the configuration, which the user must lift, takes precedence over a circuit that
    /// is not closed.
    public Optional<HoldReason> holdOf(Route route, Trigger trigger) {
        return trigger.holdReason(route)
                .or(() ->
                        circuits.of(route.destination().id()).isClosed()
                                ? Optional.empty()
                                : Optional.of(HoldReason.CIRCUIT_OPEN));
    }

    /// Returns the reason why this delivery is on hold, or empty if it is not. A delivery chosen as
    /// the probe may be sent even though the circuit is not closed. For that, its claim to the
    /// probe must still be valid and must not expire before the attempt times out.
    Optional<HoldReason> holdOf(Route route, LoadedDelivery loaded, Instant now) {
        var hold = holdOf(route, loaded.delivery().trigger());
        boolean isProbe =
                loaded.probe()
                        .filter(probe ->
                                circuits.of(probe.destination()).isProbe(probe.generation()))
                        .flatMap(probe -> circuits.of(probe.destination()).nextTryAt())
                        .filter(until ->
                                !now.plus(route.destination().spec().timeout()).isAfter(until))
                        .isPresent();
        return isProbe ? hold.filter(each -> each != HoldReason.CIRCUIT_OPEN) : hold;
    }

    /// Returns when a lane whose first delivery is due at `due` should wake. Returns empty while
    /// the lane is on hold in the configuration; the change that lifts the hold will wake it.
    ///
    /// A lane that is waiting for its circuit's next probe wakes a little after the probe is due.
    /// The delay differs between lanes, so that they do not all wake at the same time: the circuits
    /// of many destinations often open together.
    public Optional<Instant> wakeAt(Route route, Trigger trigger, Instant due) {
        if (trigger.holdReason(route).isPresent()) {
            return Optional.empty();
        }
        var circuit = circuits.of(route.destination().id());
        int step = spread(route.connection().id(), SPREAD_STEPS);
        var delay = circuit.maxProbeDelay().multipliedBy(step).dividedBy(SPREAD_STEPS);
        return Optional.of(
                circuit.nextTryAt().filter(due::isBefore).map(at -> at.plus(delay)).orElse(due));
    }

    /// Returns a number from 0 to `steps - 1`. A connection always gets the same number, and the
    /// numbers are spread evenly over all connections.
    public static int spread(ConnectionId connection, int steps) {
        return Math.floorMod(connection.value().hashCode(), steps);
    }
}
