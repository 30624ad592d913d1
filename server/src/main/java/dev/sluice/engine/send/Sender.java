package dev.sluice.engine.send;

import dev.sluice.engine.Outcome;

import java.util.function.BooleanSupplier;

/// Makes one delivery attempt.
public interface Sender {

    /// Sends the request and waits for its outcome, for at most the request's timeout. A failure to
    /// send the request or to get a response is returned as an outcome, not thrown.
    ///
    /// @param mayStart called after connecting, before the first byte of the request is sent; if it
    ///   returns false, nothing is sent and the outcome is `INTERRUPTED`
    Outcome send(OutboundRequest request, BooleanSupplier mayStart);
}
