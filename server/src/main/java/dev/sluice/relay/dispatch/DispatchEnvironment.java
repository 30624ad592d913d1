package dev.sluice.relay.dispatch;

import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.relay.Lease;
import dev.sluice.relay.circuit.Circuits;
import dev.sluice.relay.journal.ResultQueue;

import java.time.InstantSource;

/// The objects from other packages that this package uses: the routes, this node's lease, the queue
/// of results to be written, the circuits, the clock, and what wakes the loops.
public record DispatchEnvironment(
        RoutingTable routing,
        Lease node,
        ResultQueue results,
        Circuits circuits,
        InstantSource clock,
        DispatchWakes wakes) {}
