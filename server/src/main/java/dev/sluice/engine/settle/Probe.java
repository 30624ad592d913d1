package dev.sluice.engine.settle;

import dev.sluice.gateway.destination.DestinationId;

/// The right to make the one attempt that tests a destination whose circuit is open. Whoever claims
/// a probe and does not send its request must give the probe back.
///
/// @param generation the circuit's generation after this claim; no other probe has the same one
public record Probe(DestinationId destination, int generation) {}
