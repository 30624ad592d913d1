package dev.sluice.relay.send;

import dev.sluice.relay.Outcome;

import java.util.function.BooleanSupplier;

/// Makes one attempt.
public interface Sender {

    /// Sends the parcel and waits for what comes of it, no longer than the parcel's timeout.
    /// Failures are outcomes; nothing is thrown.
    ///
    /// @param mayStart asked once more when it is connected, before the first byte of the request:
    ///   when it may not, nothing is sent, and the outcome is `INTERRUPTED`
    Outcome send(Parcel parcel, BooleanSupplier mayStart);
}
