package dev.sluice.relay.circuit;

import dev.sluice.gateway.destination.DestinationId;

/// Called when a circuit opens and when it closes again.
///
/// Only the node that wrote the change to the database makes the call, once, after the commit. No
/// call is made if that node dies in between or does not learn that the commit succeeded.
/// Implementations must return quickly.
public interface CircuitListener {

    /// Called when a closed circuit has opened. There is no call when a probe fails, because the
    /// same outage continues.
    ///
    /// @param error the message of the last failure
    void opened(DestinationId destination, Circuit circuit, String error);

    /// Called when a circuit has closed again.
    ///
    /// @param before the circuit before it closed, open or half open
    void closed(DestinationId destination, Circuit before);
}
