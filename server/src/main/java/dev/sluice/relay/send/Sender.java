package dev.sluice.relay.send;

import dev.sluice.relay.Outcome;

/// Makes one attempt.
public interface Sender {

    /// Sends the parcel and waits for what comes of it, no longer than the parcel's timeout.
    /// Failures are outcomes; nothing is thrown.
    Outcome send(Parcel parcel);
}
