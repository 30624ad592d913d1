package dev.sluice.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;

/// Speaks HTTP by the byte, where a client would put a request in order first.
public final class Wire {

    /// What was answered.
    ///
    /// @param headers the lines, in order
    /// @param body a character for each byte
    public record Answer(int status, List<String> headers, String body) {

        /// All values of the name, whatever its case.
        public List<String> values(String name) {
            return headers.stream()
                    .filter(header ->
                            header.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                    .map(header -> header.substring(name.length() + 1).strip())
                    .toList();
        }
    }

    private Wire() {}

    /// Sends these bytes (one for each character) on a connection of their own and reads one
    /// answer.
    public static Answer send(int port, String bytes) {
        try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
            socket.getOutputStream().flush();
            return read(socket.getInputStream(), bytes.startsWith("HEAD "));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Answer read(InputStream in, boolean isHead) throws IOException {
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
        var answer = new Answer(status, lines.subList(1, lines.size()), "");
        int length = answer.values("Content-Length").stream().mapToInt(Integer::parseInt).sum();
        String body = isHead ? "" : new String(in.readNBytes(length), ISO_8859_1);
        return new Answer(status, answer.headers(), body);
    }
}
