package dev.sluice.engine;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.destination.DestinationUrl;

import java.time.Duration;

/// Sends HTTP requests that are not deliveries, such as alerts.
@FunctionalInterface
public interface JsonPoster {

    /// Sends one request with a JSON body and waits for its outcome. A failure to send it or to get
    /// a response is returned as an outcome, not thrown.
    ///
    /// @param workspace the workspace whose share of DNS lookups this request counts against
    /// @param timeout the time limit for the whole exchange, from the DNS lookup to the last byte
    ///   read
    Outcome post(WorkspaceId workspace, DestinationUrl url, byte[] json, Duration timeout);
}
