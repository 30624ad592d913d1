package dev.sluice.platform.http;

import java.io.IOException;

/// Writes the body of a reply piece by piece, for as long as the stream lasts.
///
/// It runs on the request's virtual thread, so it may block.
@FunctionalInterface
public interface StreamBody {

    /// Writes the body and returns at its end.
    ///
    /// @throws IOException when the client has left or does not read
    void writeTo(StreamOutput output) throws IOException, InterruptedException;
}
