package dev.sluice.bench.platform;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// Reads the bytes from one connection as a sequence of HTTP/1.1 messages.
///
/// A body either has a `Content-Length` or is chunked; a message with neither has no body. The
/// reader is not strict because it reads only messages from this project's own programs or from the
/// program being measured. Not thread-safe.
public final class HttpMessageReader {

    private static final int MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
    private static final int UNKNOWN_BODY_START = -1;

    private byte[] bytes = new byte[4096];
    private ByteBuffer view = ByteBuffer.wrap(bytes);
    private int filled;
    private int scanned;
    private int bodyStart = UNKNOWN_BODY_START;
    private int bodyLength;
    private int end;
    private boolean chunked;

    /// Reads the available bytes. Returns -1 if the other side has closed the connection.
    public int fill(SocketChannel channel) throws IOException {
        if (filled == bytes.length) {
            grow();
        }
        view.limit(bytes.length).position(filled);
        int count = channel.read(view);
        filled += Math.max(count, 0);
        return count;
    }

    public boolean isEmpty() {
        return filled == 0;
    }

    /// Whether the bytes read so far begin with a complete message. Except for [#clear()], the
    /// methods below may be called only if this method has returned true.
    public boolean isComplete() throws IOException {
        if (bodyStart == UNKNOWN_BODY_START && !findBody()) {
            return false;
        }
        return chunked ? joinChunks() : filled >= end;
    }

    /// Discards the first message.
    public void discardMessage() {
        System.arraycopy(bytes, end, bytes, 0, filled - end);
        filled -= end;
        scanned = 0;
        bodyStart = UNKNOWN_BODY_START;
        chunked = false;
    }

    /// Discards all bytes. Call this before the first read from a new connection.
    public void clear() {
        end = filled;
        discardMessage();
    }

    /// Returns the status of the first message, which must be a response.
    public int status() throws IOException {
        if (filled < 12 || bytes[0] != 'H') {
            throw new IOException("not an HTTP answer");
        }
        return (bytes[9] - '0') * 100 + (bytes[10] - '0') * 10 + (bytes[11] - '0');
    }

    /// Returns the path and query of the first message, which must be a request, exactly as they
    /// were sent.
    public String path() {
        String line = new String(bytes, 0, lineEnd(0), StandardCharsets.ISO_8859_1);
        int from = line.indexOf(' ') + 1;
        int to = line.indexOf(' ', from);
        return to < 0 ? "" : line.substring(from, to);
    }

    /// Returns the value of the first header with this name, which must be in lower case.
    public Optional<String> header(String name) {
        int from = valueOffset(name);
        return from < 0
                ? Optional.empty()
                : Optional.of(
                        new String(bytes, from, lineEnd(from) - from, StandardCharsets.ISO_8859_1)
                                .strip());
    }

    /// Returns the first message as it was received, except that the chunks of its body are joined.
    public ByteBuffer message() {
        return ByteBuffer.wrap(Arrays.copyOf(bytes, end));
    }

    public int bodyLength() {
        return bodyLength;
    }

    public byte[] body() {
        return Arrays.copyOfRange(bytes, bodyStart, bodyStart + bodyLength);
    }

    private void grow() throws IOException {
        if (bytes.length >= MAX_MESSAGE_BYTES) {
            throw new IOException("a message longer than " + MAX_MESSAGE_BYTES + " bytes");
        }
        bytes = Arrays.copyOf(bytes, bytes.length * 2);
        view = ByteBuffer.wrap(bytes);
    }

    private boolean findBody() {
        for (int at = Math.max(scanned - 3, 0); at + 3 < filled; at++) {
            if (bytes[at + 3] == '\n'
                    && bytes[at + 2] == '\r'
                    && bytes[at + 1] == '\n'
                    && bytes[at] == '\r') {
                bodyStart = at + 4;
                bodyLength = contentLength();
                end = bodyStart + bodyLength;
                chunked = bodyLength == 0 && valueOffset("transfer-encoding") >= 0;
                return true;
            }
        }
        scanned = filled;
        return false;
    }

    private int contentLength() {
        int at = valueOffset("content-length");
        if (at < 0) {
            return 0;
        }
        int length = 0;
        for (; bytes[at] != '\r'; at++) {
            if (bytes[at] >= '0' && bytes[at] <= '9') {
                length = length * 10 + bytes[at] - '0';
            }
        }
        return length;
    }

    /// Returns the offset of a header's value, or -1 if the message has no such header.
    private int valueOffset(String name) {
        int at = lineEnd(0) + 2;
        while (at < bodyStart - 2) {
            int colon = at + name.length();
            if (colon < bodyStart && bytes[colon] == ':' && matchesName(at, name)) {
                return colon + 1;
            }
            at = lineEnd(at) + 2;
        }
        return -1;
    }

    private boolean matchesName(int from, String name) {
        for (int at = 0; at < name.length(); at++) {
            int letter = bytes[from + at];
            int lower = letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
            if (lower != name.charAt(at)) {
                return false;
            }
        }
        return true;
    }

    private int lineEnd(int from) {
        int at = from;
        while (at < filled && bytes[at] != '\r') {
            at++;
        }
        return at;
    }

    /// Joins the chunks of the body. Returns true if the last chunk has arrived, so that the body
    /// is in one piece.
    private boolean joinChunks() throws IOException {
        int length = chunks(false);
        if (length < 0) {
            return false;
        }
        chunks(true);
        bodyLength = length;
        chunked = false;
        return true;
    }

    /// Goes through the chunks, and joins them if `join` is true. Returns the length of the body,
    /// or -1 if some chunks are missing.
    private int chunks(boolean join) throws IOException {
        int at = bodyStart;
        int length = 0;
        while (true) {
            int line = lineEnd(at);
            if (line + 2 > filled) {
                return -1;
            }
            int size = chunkSize(at, line);
            at = line + 2;
            if (at + size + 2 > filled) {
                return -1;
            }
            if (size == 0) {
                end = at + 2;
                return length;
            }
            if (join) {
                System.arraycopy(bytes, at, bytes, bodyStart + length, size);
            }
            length += size;
            at += size + 2;
        }
    }

    private int chunkSize(int from, int to) throws IOException {
        String line = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
        int extension = line.indexOf(';');
        try {
            return Integer.parseInt(
                    (extension < 0 ? line : line.substring(0, extension)).strip(), 16);
        } catch (NumberFormatException notHex) {
            throw new IOException("not a chunk: " + line, notHex);
        }
    }
}
