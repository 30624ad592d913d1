package dev.sluice.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;

/// Sends HTTP requests as raw bytes, because an HTTP client would correct malformed ones.
public final class RawHttp {

    /// An HTTP response.
    ///
    /// @param headers the header lines, in order
    /// @param body one character per byte
    public record RawHttpResponse(int status, List<String> headers, String body) {

        /// Returns all values of a header; the case of the name does not matter.
        public List<String> values(String name) {
            return headers.stream()
                    .filter(header ->
                            header.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                    .map(header -> header.substring(name.length() + 1).strip())
                    .toList();
        }
    }

    private RawHttp() {}

    /// Sends these bytes (one per character) on a new connection and reads one response.
    public static RawHttpResponse send(int port, String bytes) {
        try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
            socket.getOutputStream().flush();
            return read(socket.getInputStream(), bytes.startsWith("HEAD "));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RawHttpResponse read(InputStream in, boolean isHead) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n", Math.max(0, head.length() - 4)) < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("closed after: " + head);
            }
            head.append((char) next);
        }
        var lines = List.of(head.substring(0, head.length() - 4).split("\r\n", -1));
        int status = Integer.parseInt(lines.getFirst().split(" ", -1)[1]);
        var answer = new RawHttpResponse(status, lines.subList(1, lines.size()), "");
        int length = answer.values("Content-Length").stream().mapToInt(Integer::parseInt).sum();
        String body = isHead ? "" : new String(in.readNBytes(length), ISO_8859_1);
        return new RawHttpResponse(status, answer.headers(), body);
    }
}
