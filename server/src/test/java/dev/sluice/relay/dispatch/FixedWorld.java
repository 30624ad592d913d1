package dev.sluice.relay.dispatch;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.Gone;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RouteMap;
import dev.sluice.relay.Lease;
import dev.sluice.relay.circuit.Circuits;

import java.time.InstantSource;
import java.util.Optional;

/// What dispatch sees of the outside where nothing of it changes.
final class FixedWorld {

    private FixedWorld() {}

    /// Always valid.
    static Lease lease(long epoch) {
        return new Lease() {
            @Override
            public long epoch() {
                return epoch;
            }

            @Override
            public boolean mayStart() {
                return true;
            }

            @Override
            public boolean mayStart(long of) {
                return of == epoch;
            }
        };
    }

    /// Every connection is this route's.
    static RouteMap routes(Route route) {
        return new RouteMap() {
            @Override
            public Optional<Route> route(ConnectionId connection) {
                return Optional.of(route);
            }

            @Override
            public Optional<Gone> gone(ConnectionId connection) {
                return Optional.empty();
            }

            @Override
            public Optional<Destination> destination(DestinationId id) {
                return Optional.of(route.destination());
            }

            @Override
            public void onChange(Runnable listener) {}
        };
    }

    /// Of which nobody else knows.
    static Circuits circuits(InstantSource clock) {
        return new ModelCircuits().seenBy(clock, () -> 1, claim -> claim, () -> {});
    }
}
