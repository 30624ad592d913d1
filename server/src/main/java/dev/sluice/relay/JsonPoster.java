package dev.sluice.relay;

import dev.sluice.gateway.destination.DestinationUrl;

import java.time.Duration;

/// Sends requests that are no deliveries, such as alerts.
@FunctionalInterface
public interface JsonPoster {

    /// Sends one request with a JSON body and waits for its outcome. A failure is returned as an
    /// outcome and never thrown.
    ///
    /// @param timeout of the whole exchange, from the DNS lookup to the last byte read
    Outcome post(DestinationUrl url, byte[] json, Duration timeout);
}
