package dev.sluice.engine.send;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.http.Header;

import org.apache.hc.core5.http.io.SessionOutputBuffer;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.regex.Pattern;

/// One HTTP POST request, serialized exactly as it is sent.
///
/// This class, not the HTTP library, builds the request head, so that header bytes are sent
/// unchanged and the library adds nothing.
final class WireRequest extends BasicClassicHttpRequest {

    private static final Pattern CONTROL_CHARACTER =
            Pattern.compile("[\\x00-\\x08\\x0a-\\x1f\\x7f]");

    private final byte[] head;
    private final OutboundBody body;

    WireRequest(DestinationUrl url, List<Header> headers, OutboundBody body) {
        super("POST", "http", null, "/");
        this.head = head(url, headers, body.length());
        this.body = body;
    }

    void writeTo(SessionOutputBuffer buffer, OutputStream out) throws IOException {
        buffer.write(head, out);
        buffer.write(body.bytes(), out);
    }

    private static byte[] head(DestinationUrl url, List<Header> headers, int length) {
        var text = new StringBuilder(256 + 96 * headers.size());
        text.append("POST ").append(url.requestTarget()).append(" HTTP/1.1\r\nHost: ");
        text.append(url.authority()).append("\r\nContent-Length: ").append(length).append("\r\n");
        for (var header : headers) {
            text.append(oneLine(header.name())).append(": ");
            text.append(oneLine(header.value())).append("\r\n");
        }
        text.append("\r\n");
        return text.toString().getBytes(ISO_8859_1);
    }

    /// Replaces control characters other than tabs with spaces, because a line break would start
    /// another header. The configuration already rejects such characters; this is a second
    /// safeguard.
    private static String oneLine(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isControl(text.charAt(i))) {
                return CONTROL_CHARACTER.matcher(text).replaceAll(" ");
            }
        }
        return text;
    }

    private static boolean isControl(char c) {
        return (c < ' ' && c != '\t') || c == 0x7f;
    }
}
