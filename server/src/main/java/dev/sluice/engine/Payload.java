package dev.sluice.engine;

import dev.sluice.platform.http.Header;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The HTTP method, headers and body of an event, or of a request made from an event. The body of
/// an event is kept byte for byte as it arrived. So are the names and values of its headers, except
/// that the source's credential is masked.
///
/// Headers are kept in their wire format: Latin-1 lines of the form `Name: value`. Each line ends
/// with CR LF, which cannot occur in a header value. Immutable by convention: no code writes to the
/// arrays passed in or returned.
public final class Payload {

    /// The maximum size of a body in bytes, set by the specification: 1 MiB.
    public static final int MAX_BODY_BYTES = 1 << 20;

    /// The estimated memory, in bytes, that a parsed header uses: a record, two strings and their
    /// arrays.
    private static final int HEADER_OVERHEAD_BYTES = 128;

    private static final byte[] HEADER_SEPARATOR = {':', ' '};
    private static final byte[] HEADER_LINE_END = {'\r', '\n'};

    /// The HTTP method that most webhooks use. It applies unless [#withMethod] sets another method.
    private static final String USUAL_METHOD = "POST";

    private final String method;
    private final byte[] headerLines;
    private final byte[] body;

    /// The parsed header lines, or null if the payload was read from the database. If this is null,
    /// [#headers] parses the lines on each call.
    private final @Nullable List<Header> headers;

    private Payload(
            String method, byte[] headerLines, byte[] body, @Nullable List<Header> headers) {
        this.method = method;
        this.headerLines = headerLines;
        this.body = body;
        this.headers = headers;
    }

    public static Payload of(List<Header> headers, byte[] body) {
        return new Payload(USUAL_METHOD, lines(headers), body, List.copyOf(headers));
    }

    public static Payload fromStored(byte[] headerLines, byte[] body) {
        return new Payload(USUAL_METHOD, headerLines, body, null);
    }

    /// Returns a copy with another method.
    public Payload withMethod(String other) {
        return new Payload(other, headerLines, body, headers);
    }

    /// Returns the HTTP method: `POST`, unless [#withMethod] has set another method.
    public String method() {
        return method;
    }

    public byte[] headerLines() {
        return headerLines;
    }

    public byte[] body() {
        return body;
    }

    /// Returns an estimate of the memory that this payload uses, in bytes.
    public int memoryBytes() {
        int parsed = headers == null ? 0 : headers.size() * HEADER_OVERHEAD_BYTES;
        return headerLines.length + body.length + parsed;
    }

    private static byte[] lines(List<Header> headers) {
        int length = 0;
        for (var header : headers) {
            length +=
                    header.name().length()
                            + HEADER_SEPARATOR.length
                            + header.value().length()
                            + HEADER_LINE_END.length;
        }
        byte[] lines = new byte[length];
        int at = 0;
        for (var header : headers) {
            at = put(lines, at, header.name().getBytes(StandardCharsets.ISO_8859_1));
            at = put(lines, at, HEADER_SEPARATOR);
            at = put(lines, at, header.value().getBytes(StandardCharsets.ISO_8859_1));
            at = put(lines, at, HEADER_LINE_END);
        }
        return lines;
    }

    private static int put(byte[] lines, int at, byte[] part) {
        System.arraycopy(part, 0, lines, at, part.length);
        return at + part.length;
    }

    public List<Header> headers() {
        return headers != null ? headers : parsed();
    }

    private List<Header> parsed() {
        var parsed = new ArrayList<Header>();
        String lines = new String(headerLines, StandardCharsets.ISO_8859_1);
        for (int start = 0; start < lines.length(); ) {
            int colon = lines.indexOf(": ", start);
            int end = lines.indexOf("\r\n", colon);
            parsed.add(new Header(lines.substring(start, colon), lines.substring(colon + 2, end)));
            start = end + 2;
        }
        return parsed;
    }
}
