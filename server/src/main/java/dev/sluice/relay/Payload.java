package dev.sluice.relay;

import dev.sluice.platform.http.Header;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// What came in, byte for byte: the header lines and the body. Immutable as long as nobody writes
/// to the arrays it was given and gives out, which nobody may.
///
/// Headers are kept as on the wire: `Name: value` lines, each ended by CR LF, Latin-1. A header's
/// value cannot hold these two, so nothing is lost.
public final class Payload {

    /// What a header takes beside its characters: a record, two strings and their arrays.
    private static final int HEADER_OBJECTS = 128;

    private static final byte[] SEPARATOR = {':', ' '};
    private static final byte[] END = {'\r', '\n'};

    private final byte[] headerLines;
    private final byte[] body;

    /// Null when only the lines are known.
    private final @Nullable List<Header> headers;

    private Payload(byte[] headerLines, byte[] body, @Nullable List<Header> headers) {
        this.headerLines = headerLines;
        this.body = body;
        this.headers = headers;
    }

    public static Payload of(List<Header> headers, byte[] body) {
        return new Payload(lines(headers), body, List.copyOf(headers));
    }

    public static Payload stored(byte[] headerLines, byte[] body) {
        return new Payload(headerLines, body, null);
    }

    public byte[] headerLines() {
        return headerLines;
    }

    public byte[] body() {
        return body;
    }

    /// The memory it takes, in bytes, about.
    public int size() {
        int parsed = headers == null ? 0 : headers.size() * HEADER_OBJECTS;
        return headerLines.length + body.length + parsed;
    }

    private static byte[] lines(List<Header> headers) {
        int length = 0;
        for (var header : headers) {
            length +=
                    header.name().length()
                            + SEPARATOR.length
                            + header.value().length()
                            + END.length;
        }
        byte[] lines = new byte[length];
        int at = 0;
        for (var header : headers) {
            at = put(lines, at, header.name().getBytes(StandardCharsets.ISO_8859_1));
            at = put(lines, at, SEPARATOR);
            at = put(lines, at, header.value().getBytes(StandardCharsets.ISO_8859_1));
            at = put(lines, at, END);
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
