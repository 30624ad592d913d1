package dev.sluice.engine.accept;

import dev.sluice.engine.VerificationReason;
import dev.sluice.platform.http.Header;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The parts of an inbound request that verification needs.
public final class InboundRequest {

    private final List<Header> headers;
    private final byte[] body;
    private final Instant headReadAt;
    private final String url;

    /// @param body the body as received, before any decoding; must not be modified
    /// @param headReadAt when the request head was read; timestamps are compared with this time, so
    ///   a slow upload does not make them look old
    /// @param url the public URL that the sender used, with its query
    public InboundRequest(List<Header> headers, byte[] body, Instant headReadAt, String url) {
        this.headers = headers;
        this.body = body;
        this.headReadAt = headReadAt;
        this.url = url;
    }

    List<Header> headers() {
        return headers;
    }

    byte[] body() {
        return body;
    }

    Instant headReadAt() {
        return headReadAt;
    }

    String url() {
        return url;
    }

    /// Returns the only value of a required header, or fails with the reason `missing` or
    /// `repeated`. A repeated header is rejected, because servers differ in how they join the
    /// values.
    String singleHeader(String name, VerificationReason missing, VerificationReason repeated)
            throws VerificationException {
        Optional<String> value = Optional.empty();
        for (var header : headers) {
            if (header.isNamed(name)) {
                if (value.isPresent()) {
                    throw new VerificationException(repeated);
                }
                value = Optional.of(header.value());
            }
        }
        return value.orElseThrow(() -> new VerificationException(missing));
    }

    boolean hasHeader(String name) {
        return headers.stream().anyMatch(header -> header.isNamed(name));
    }
}
