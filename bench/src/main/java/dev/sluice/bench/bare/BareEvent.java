package dev.sluice.bench.bare;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.UUID;
import java.util.function.BiConsumer;

/// An event on its way through the bare pipeline.
final class BareEvent {

    final UUID id;
    final String contentType;

    /// The header lines, each followed by CRLF.
    final byte[] headers;

    final byte[] body;

    /// The action to run once the event has been committed.
    final Runnable acknowledge;

    BareEvent(UUID id, String contentType, byte[] headers, byte[] body, Runnable answer) {
        this.id = id;
        this.contentType = contentType;
        this.headers = headers;
        this.body = body;
        this.acknowledge = answer;
    }

    /// Passes each of the sender's headers to `header`, except `Host` and the `Content-` headers,
    /// which describe only the inbound message.
    void forwardHeaders(BiConsumer<String, String> header) {
        for (String line : new String(headers, ISO_8859_1).split("\r\n", -1)) {
            int colon = line.indexOf(": ");
            if (colon > 0 && !isMessageHeader(line)) {
                header.accept(line.substring(0, colon), line.substring(colon + 2));
            }
        }
    }

    private static boolean isMessageHeader(String line) {
        return line.regionMatches(true, 0, "host:", 0, 5)
                || line.regionMatches(true, 0, "content-", 0, 8);
    }
}
