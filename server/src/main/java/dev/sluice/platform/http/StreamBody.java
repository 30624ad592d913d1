package dev.sluice.platform.http;

import java.io.IOException;

/// Writes the body of a reply piece by piece, for as long as it takes.
///
/// It runs on the request's virtual thread, so it may block.
@FunctionalInterface
public interface StreamBody {

    /// Returns at the end of the body.
    ///
    /// @throws IOException when the client left or does not read
    void writeTo(StreamOutput output) throws IOException, InterruptedException;
}
