package dev.sluice.engine.accept;

import dev.sluice.platform.http.Header;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A webhook that arrived over HTTP, or one that a user composed as a test.
public final class InboundWebhook {

    private final String method;
    private final String pathQuery;
    private final List<Header> headers;
    private final byte[] body;
    private final Instant headReadAt;

    /// @param pathQuery the path and query of the webhook's URL, still percent-encoded
    /// @param body the body as received; must not be modified
    /// @param headReadAt when the headers were read; signed timestamps are compared with this time
    public InboundWebhook(
            String method,
            String pathQuery,
            List<Header> headers,
            byte[] body,
            Instant headReadAt) {
        this.method = method;
        this.pathQuery = pathQuery;
        this.headers = headers;
        this.body = body;
        this.headReadAt = headReadAt;
    }

    String method() {
        return method;
    }

    String pathQuery() {
        return pathQuery;
    }

    List<Header> headers() {
        return headers;
    }

    byte[] body() {
        return body;
    }

    /// Returns the size of the headers and the body in bytes.
    long size() {
        return body.length
                + headers.stream()
                        .mapToLong(header -> header.name().length() + header.value().length())
                        .sum();
    }

    Instant headReadAt() {
        return headReadAt;
    }

    Optional<String> contentType() {
        return headers.stream()
                .filter(header -> header.isNamed("Content-Type"))
                .findFirst()
                .map(Header::value);
    }
}
