package dev.sluice.cli.forward;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The local service's response: its status and the beginning of its body.
record LocalAnswer(int status, String excerpt) {

    private static final int MAX_HEAD_BYTES = 64 * 1024;
    private static final int EXCERPT_BYTES = 2_000;

    /// Reads a response to its end, however long it is, so that the local service can finish
    /// writing it. Keeps only the first 2,000 bytes of the body.
    static LocalAnswer read(InputStream raw) throws IOException {
        var in = new BufferedInputStream(raw);
        while (true) {
            var lines = readHead(in);
            int status = status(lines.getFirst());
            if (status / 100 == 1) {
                continue; // an interim response, such as 100
            }
            return new LocalAnswer(status, readBody(in, status, lines));
        }
    }

    private static List<String> readHead(InputStream in) throws IOException {
        var lines = new ArrayList<String>();
        int size = 0;
        while (true) {
            String line = readLine(in);
            size += line.length() + 2;
            if (size > MAX_HEAD_BYTES) {
                throw new IOException("its headers are too long");
            }
            if (line.isEmpty() && !lines.isEmpty()) {
                return lines;
            }
            lines.add(line);
        }
    }

    private static String readLine(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        while (true) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("it closed the connection before it answered");
            }
            if (next == '\n') {
                return line.toString(ISO_8859_1).stripTrailing();
            }
            line.write(next);
            if (line.size() > MAX_HEAD_BYTES) {
                throw new IOException("a line is too long");
            }
        }
    }

    private static int status(String line) throws IOException {
        if (!line.matches("HTTP/1\\.[01] [1-9][0-9]{2}( .*)?")) {
            throw new IOException("it does not speak HTTP/1.1");
        }
        return Integer.parseInt(line.substring(9, 12));
    }

    private static String readBody(InputStream in, int status, List<String> head)
            throws IOException {
        if (status == 204 || status == 304) {
            return "";
        }
        String length = header(head, "content-length");
        var body = new ByteArrayOutputStream();
        if (header(head, "transfer-encoding").toLowerCase(Locale.ROOT).contains("chunked")) {
            readChunks(in, body);
        } else {
            copy(in, body, length.matches("[0-9]{1,18}") ? Long.parseLong(length) : Long.MAX_VALUE);
        }
        return body.toString(UTF_8);
    }

    private static void readChunks(InputStream in, ByteArrayOutputStream body) throws IOException {
        while (true) {
            String size = readLine(in).replaceAll(";.*", "").strip();
            if (!size.matches("[0-9a-fA-F]{1,15}")) {
                throw new IOException("a chunk has no size");
            }
            long bytes = Long.parseLong(size, 16);
            if (bytes == 0) {
                return;
            }
            copy(in, body, bytes);
            readLine(in);
        }
    }

    /// Reads up to `length` bytes, and appends them to `kept` until `kept` contains 2,000 bytes.
    private static void copy(InputStream in, ByteArrayOutputStream kept, long length)
            throws IOException {
        byte[] buffer = new byte[8_192];
        long left = length;
        while (left > 0) {
            int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
            if (read < 0) {
                return;
            }
            kept.write(buffer, 0, Math.min(read, Math.max(0, EXCERPT_BYTES - kept.size())));
            left -= read;
        }
    }

    private static String header(List<String> head, String name) {
        return head.stream()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }
}
