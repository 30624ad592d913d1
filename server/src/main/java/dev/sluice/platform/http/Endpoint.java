package dev.sluice.platform.http;

import java.io.IOException;

/// Handles the requests to one route.
///
/// Each request runs on its own virtual thread, so the endpoint may block. To refuse a request, it
/// throws an [ApiException], `InvalidFieldsException` or `MalformedJsonException`.
@FunctionalInterface
public interface Endpoint {
    Reply answer(Request request) throws IOException;
}
