package dev.sluice.engine.send;

import dev.sluice.engine.Lease;
import dev.sluice.engine.commit.ResultQueue;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.gateway.routing.RoutingTable;

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
