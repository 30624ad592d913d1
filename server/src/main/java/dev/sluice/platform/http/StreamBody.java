package dev.sluice.platform.http;

import java.io.IOException;

/// Writes the body of a reply piece by piece, until the stream ends.
///
/// It runs on the request's virtual thread, so it may block.
@FunctionalInterface
public interface StreamBody {

    /// Writes the body. Returns when the body is complete.
    ///
    /// @throws IOException when the client has disconnected or is not reading
    void writeTo(StreamOutput output) throws IOException, InterruptedException;
}
