package dev.sluice.relay.dispatch;

import dev.sluice.gateway.routing.Hold;
import dev.sluice.gateway.routing.Route;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.circuit.Circuits;

import java.time.Instant;
import java.util.Optional;

/// May a lane's deliveries be sent now, and if not, when: what the configuration holds, then the
/// destination's circuit. Whoever sends or wakes anything asks here.
public record Holds(Circuits circuits) {

    /// What holds the lane, if anything; the first that the user would have to lift.
    public Optional<Hold> of(Route route, Trigger trigger) {
        return route.hold(trigger == Trigger.RESEND)
                .or(() ->
                        circuits.of(route.destination().id()).isClosed()
                                ? Optional.empty()
                                : Optional.of(Hold.CIRCUIT_OPEN));
    }

    /// What keeps this delivery from being sent. One chosen as a probe is sent although the circuit
    /// is not closed, while its claim stands for as long as an attempt may take.
    Optional<Hold> of(Route route, Ready ready, Instant now) {
        var hold = of(route, ready.work().trigger());
        boolean isProbe =
                ready.probe()
                        .filter(probe ->
                                circuits.of(probe.destination()).isProbe(probe.generation()))
                        .flatMap(probe -> circuits.of(probe.destination()).nextTryAt())
                        .filter(until ->
                                !now.plus(route.destination().spec().timeout()).isAfter(until))
                        .isPresent();
        return isProbe ? hold.filter(each -> each != Hold.CIRCUIT_OPEN) : hold;
    }

    /// When a lane whose first delivery is due at `due` should wake; empty while the configuration
    /// holds it, whose changes wake it.
    public Optional<Instant> wakeAt(Route route, Trigger trigger, Instant due) {
        if (route.hold(trigger == Trigger.RESEND).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(
                circuits.of(route.destination().id())
                        .nextTryAt()
                        .filter(due::isBefore)
                        .orElse(due));
    }
}
