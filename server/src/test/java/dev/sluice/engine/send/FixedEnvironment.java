package dev.sluice.engine.send;

import dev.sluice.engine.Lease;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RouteDeletion;
import dev.sluice.gateway.routing.RoutingTable;

import java.time.InstantSource;
import java.util.Optional;

/// Stand-ins for the collaborators of dispatch whose answers never change.
final class FixedEnvironment {

    private FixedEnvironment() {}

    /// A lease that is always valid.
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

    /// A table that has this route for every connection.
    static RoutingTable routes(Route route) {
        return new RoutingTable() {
            @Override
            public Optional<Route> route(ConnectionId connection) {
                return Optional.of(route);
            }

            @Override
            public Optional<RouteDeletion> deletion(ConnectionId connection) {
                return Optional.empty();
            }

            @Override
            public Optional<Destination> destination(DestinationId id) {
                return Optional.of(route.destination());
            }
        };
    }

    /// Circuits that no other node shares.
    static Circuits circuits(InstantSource clock) {
        return new SimulatedCircuits().viewOf(clock, () -> 1, claim -> claim, () -> {});
    }
}
