package dev.sluice.relay.circuit;

import dev.sluice.gateway.destination.DestinationId;

/// Told when a circuit opens and when it closes again, once, by the node that wrote it and after
/// the commit. A node that dies in between tells nobody. Must be quick.
public interface CircuitListener {

    /// It was closed, and is open. A probe that fails is not told: that is the same trouble still.
    ///
    /// @param error what the last failure said
    void opened(DestinationId destination, Circuit circuit, String error);

    /// @param before as it was until now: open or half open
    void closed(DestinationId destination, Circuit before);
}
