package dev.sluice.relay.circuit;

import dev.sluice.gateway.destination.DestinationId;

/// Is called when a circuit opens and when it closes again.
///
/// The node that wrote the change to the database makes the call once, after the commit. If that
/// node dies in between, no call is made. Implementations must return quickly.
public interface CircuitListener {

    /// A closed circuit opened. There is no call when a probe fails, because the same outage
    /// continues.
    ///
    /// @param error the message of the last failure
    void opened(DestinationId destination, Circuit circuit, String error);

    /// A circuit closed again.
    ///
    /// @param before the circuit before it closed, open or half open
    void closed(DestinationId destination, Circuit before);
}
