package dev.sluice.relay.circuit;

import dev.sluice.gateway.destination.DestinationId;

/// The right to make the one attempt that tries a destination whose circuit is open. Given back
/// when it is not used.
///
/// @param generation of the circuit, which nobody else's probe has
public record Probe(DestinationId destination, int generation) {}
