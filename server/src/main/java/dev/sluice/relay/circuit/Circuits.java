package dev.sluice.relay.circuit;

import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;

import java.util.Optional;

/// Whether destinations may be tried, as far as this node knows. Safe for use by many threads; only
/// claiming a probe asks the database.
public interface Circuits {

    /// What is known of the destination's circuit now; healthy when nothing is.
    Circuit of(DestinationId destination);

    /// How many attempts may be under way here: the destination's `max_in_flight`, and fewer for a
    /// while after its circuit closed.
    int width(Destination destination);

    /// Claims the one probe of all nodes, for the destination's timeout and some more; empty when
    /// it is not due, or another has it.
    Optional<Probe> claimProbe(Destination destination);

    /// Says that the probe was not sent, so that another may be. Does nothing once something is
    /// known of what came of it, or when it was claimed anew.
    void giveBack(Probe probe);

    /// An answer came that proves that the destination can be reached.
    void reached(Destination destination);

    /// An attempt failed in a way that is tried again.
    ///
    /// @param started the circuit's generation when the attempt was started
    /// @param error what happened, in a sentence
    void failed(DestinationId destination, int started, String error);
}
