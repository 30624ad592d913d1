package dev.sluice.relay.verify;

import dev.sluice.platform.http.Header;
import dev.sluice.relay.VerificationReason;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A request as verification sees it.
public final class Inbound {

    private final List<Header> headers;
    private final byte[] body;
    private final Instant headReadAt;
    private final String url;

    /// @param body as it was received, before anything is decoded; nobody may write to it
    /// @param headReadAt when its head was read: a slow upload must not age it
    /// @param url the public one, its query included, as the sender knows it
    public Inbound(List<Header> headers, byte[] body, Instant headReadAt, String url) {
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

    /// The only value of a header that is needed, or `missing`, or `repeated`: servers differ in
    /// how they join repeats, so there may be none.
    String only(String name, VerificationReason missing, VerificationReason repeated)
            throws Refused {
        Optional<String> value = Optional.empty();
        for (var header : headers) {
            if (header.isNamed(name)) {
                if (value.isPresent()) {
                    throw new Refused(repeated);
                }
                value = Optional.of(header.value());
            }
        }
        return value.orElseThrow(() -> new Refused(missing));
    }

    boolean has(String name) {
        return headers.stream().anyMatch(header -> header.isNamed(name));
    }
}
