package dev.sluice.engine.settle;

import dev.sluice.gateway.destination.DestinationId;

/// The right to make the one attempt that tests a destination whose circuit is open. Whoever claims
/// a probe and does not send its request must give the probe back.
///
/// @param generation the circuit's generation after this claim; no other probe has the same one
public record Probe(DestinationId destination, int generation) {

    /// Whether this probe asks with the newest delivery, not with the oldest. The two take turns,
    /// on all nodes: from one failed probe to the next, the generation grows by two.
    public boolean isNewestTurn() {
        return generation / 2 % 2 == 0;
    }
}
