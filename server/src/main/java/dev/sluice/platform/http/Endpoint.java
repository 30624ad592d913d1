package dev.sluice.platform.http;

import java.io.IOException;

/// Answers requests. Called on a thread of the request's own, so it may block.
///
/// Refuses by throwing an [ApiException], `InvalidFields` or `MalformedJson`.
@FunctionalInterface
public interface Endpoint {
    Reply answer(Request request) throws IOException;
}
