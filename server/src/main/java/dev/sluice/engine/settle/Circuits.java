package dev.sluice.engine.settle;

import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;

import java.util.Optional;

/// The circuit breakers ([CircuitBreaker]) of all destinations, as known to this node. Thread-safe.
/// Only `claimProbe` queries the database.
public interface Circuits {

    /// Returns the destination's circuit as this node knows it, or a healthy circuit if it knows
    /// none.
    CircuitBreaker of(DestinationId destination);

    /// Returns how many attempts at the destination may be in progress on this node at once. This
    /// is the destination's `max_in_flight`, or less for a while after its circuit has closed.
    int concurrencyLimit(Destination destination);

    /// Claims the probe, the one attempt that tests the destination on behalf of all nodes. The
    /// claim lasts for the destination's timeout plus a margin. Returns empty if no probe is due,
    /// if another node has claimed it, or if the circuit's row is locked.
    Optional<Probe> claimProbe(Destination destination);

    /// Gives back a probe that was not sent, so that a new probe can be claimed. Does nothing if
    /// the probe's result is known or if a new probe has already been claimed.
    void giveBack(Probe probe);

    /// Records a response that proves the destination reachable.
    void reached(Destination destination);

    /// Records a failed attempt that counts against the destination. [CircuitEvidence] decides
    /// which failures count.
    ///
    /// @param startedGeneration the circuit's generation when the attempt started
    /// @param error the failure's message, in one sentence
    void failed(DestinationId destination, int startedGeneration, String error);
}
