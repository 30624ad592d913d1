package dev.sluice.relay.send;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.http.Header;

import org.apache.hc.core5.http.io.SessionOutputBuffer;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.regex.Pattern;

/// The request of an attempt as it goes over the wire: head and body, ready to be written.
///
/// Written by us, not by the library, so that bytes go out as they came in and nothing is added.
final class Post extends BasicClassicHttpRequest {

    private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x08\\x0a-\\x1f\\x7f]");

    private final byte[] head;
    private final Body body;

    Post(DestinationUrl url, List<Header> headers, Body body) {
        super("POST", "http", null, "/");
        this.head = head(url, headers, body.length());
        this.body = body;
    }

    void writeTo(SessionOutputBuffer buffer, OutputStream out) throws IOException {
        buffer.write(head, out);
        buffer.write(body.bytes(), out);
    }

    /// What stands before all other headers, for whoever shows a request instead of sending it.
    static List<Header> framing(DestinationUrl url, Body body) {
        return List.of(
                new Header("Host", url.authority()),
                new Header("Content-Length", Integer.toString(body.length())));
    }

    private static byte[] head(DestinationUrl url, List<Header> headers, int length) {
        var text = new StringBuilder(256 + 96 * headers.size());
        text.append("POST ").append(url.target()).append(" HTTP/1.1\r\nHost: ");
        text.append(url.authority()).append("\r\nContent-Length: ").append(length).append("\r\n");
        for (var header : headers) {
            text.append(oneLine(header.name())).append(": ");
            text.append(oneLine(header.value())).append("\r\n");
        }
        text.append("\r\n");
        return text.toString().getBytes(ISO_8859_1);
    }

    /// Control characters would end the header or worse; they were refused where headers are
    /// configured, and are spaces here should one get this far.
    private static String oneLine(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isControl(text.charAt(i))) {
                return CONTROL.matcher(text).replaceAll(" ");
            }
        }
        return text;
    }

    private static boolean isControl(char c) {
        return (c < ' ' && c != '\t') || c == 0x7f;
    }
}
