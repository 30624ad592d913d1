package dev.sluice.engine.settle;

import dev.sluice.gateway.destination.DestinationId;

/// A listener that is called when a circuit opens and when it closes again.
///
/// Only the node that wrote the change to the database calls the listener, once, after the commit.
/// If that node dies before the call, or does not learn that the commit succeeded, the listener is
/// not called. Implementations must return quickly.
public interface CircuitListener {

    /// Called when a closed circuit has opened. Not called when a failed probe opens the circuit
    /// again, because the same outage continues.
    ///
    /// @param error the message of the last failure
    void opened(DestinationId destination, CircuitBreaker circuit, String error);

    /// Called when an open or half-open circuit has closed.
    ///
    /// @param before the circuit as it was before it closed
    void closed(DestinationId destination, CircuitBreaker before);
}
