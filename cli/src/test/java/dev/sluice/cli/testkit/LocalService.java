package dev.sluice.cli.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A local service that keeps each request byte for byte, and gives one answer to all.
public final class LocalService implements AutoCloseable {

    /// @param head the request line and the headers, in Latin-1
    public record RawRequest(String head, String body) {

        /// The values of a header, in order.
        public List<String> values(String name) {
            return head.lines()
                    .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .toList();
        }
    }

    private final ServerSocket listener;
    private final List<RawRequest> requests = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final byte[] answer;

    /// @param answer the whole answer; empty to give none
    public LocalService(String answer) {
        this.answer = answer.getBytes(ISO_8859_1);
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    public LocalService() {
        this("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }

    public int port() {
        return listener.getLocalPort();
    }

    /// Closes all connections that wait for an answer.
    public void hangUp() {
        sockets.forEach(LocalService::closeQuietly);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone.
        }
    }

    public List<RawRequest> requests() {
        return requests;
    }

    /// The bodies of all requests, as Latin-1.
    public List<String> bodies() {
        return requests.stream().map(RawRequest::body).toList();
    }

    private void accept() {
        try {
            while (true) {
                var socket = listener.accept();
                sockets.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // It is closed.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var in = new BufferedInputStream(socket.getInputStream());
            String head = readHead(in);
            var request = new RawRequest(head, "");
            int length =
                    request.values("Content-Length").stream()
                            .mapToInt(Integer::parseInt)
                            .findFirst()
                            .orElse(0);
            requests.add(new RawRequest(head, new String(in.readNBytes(length), ISO_8859_1)));
            if (answer.length > 0) {
                socket.getOutputStream().write(answer);
            } else {
                in.read(); // until the other side gives up
            }
        } catch (IOException e) {
            // The other side is gone.
        }
    }

    private static String readHead(InputStream in) throws IOException {
        var head = new ByteArrayOutputStream();
        while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the head is incomplete");
            }
            head.write(next);
        }
        return head.toString(ISO_8859_1);
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            // It is closed.
        }
    }
}
