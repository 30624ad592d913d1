package dev.sluice.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.SSLContext;

/// A scripted HTTP server on loopback that behaves well or badly as a test asks. It records each
/// request as received on the wire. Thread-safe.
public final class Receiver implements AutoCloseable {

    /// The behaviour of the receiver for one request.
    public sealed interface ReceiverBehaviour {}

    /// Sends these bytes (one per character), then performs `next`.
    public record ScriptedResponse(String bytes, ConnectionAction next)
            implements ReceiverBehaviour {}

    /// Sends `first`, then `each` again and again with a pause before each.
    public record TrickledResponse(String first, String each, Duration pause)
            implements ReceiverBehaviour {}

    /// Waits for `pause`, then behaves as `then`.
    public record DelayedBehaviour(Duration pause, ReceiverBehaviour then)
            implements ReceiverBehaviour {}

    /// Waits until the gate opens, then behaves as `then`.
    public record GatedBehaviour(CountDownLatch gate, ReceiverBehaviour then)
            implements ReceiverBehaviour {}

    /// Performs `next` on a new connection before reading anything. It consumes one script entry
    /// per connection, not per request.
    public record AcceptBehaviour(ConnectionAction next) implements ReceiverBehaviour {}

    /// What happens to the connection.
    public enum ConnectionAction {
        KEEP,
        CLOSE,
        RESET,
        STALL
    }

    /// A request as received.
    ///
    /// @param connection the number of the connection, counted from 1
    /// @param line the request line
    /// @param headers the header lines, in order
    /// @param body one character per byte
    public record ReceivedRequest(int connection, String line, List<String> headers, String body) {

        /// Returns all values of a header; the case of the name does not matter.
        public List<String> values(String name) {
            return headers.stream()
                    .filter(header ->
                            header.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                    .map(header -> header.substring(name.length() + 1).strip())
                    .toList();
        }
    }

    private final ServerSocket server;
    private final Deque<ReceiverBehaviour> script = new ArrayDeque<>();
    private final List<ReceivedRequest> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);

    private Receiver(ServerSocket server) {
        this.server = server;
    }

    public static Receiver start() {
        try {
            return start(new ServerSocket(0, 256, InetAddress.ofLiteral("127.0.0.1")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Receiver startTls(SSLContext identity) {
        try {
            return start(
                    identity.getServerSocketFactory()
                            .createServerSocket(0, 256, InetAddress.ofLiteral("127.0.0.1")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Receiver start(ServerSocket server) {
        var receiver = new Receiver(server);
        receiver.willAnswer(200);
        Thread.ofVirtual().start(receiver::accept);
        return receiver;
    }

    /// Replaces the script. Each request takes one behaviour, in order; the last one stays for all
    /// further requests.
    public synchronized void willDo(ReceiverBehaviour... behaviours) {
        script.clear();
        script.addAll(List.of(behaviours));
    }

    public void willAnswer(int... statuses) {
        var answers = new ReceiverBehaviour[statuses.length];
        for (int i = 0; i < statuses.length; i++) {
            answers[i] = answer(statuses[i], "");
        }
        willDo(answers);
    }

    /// A well-formed response with `Content-Length`, on a connection that stays open.
    public static ReceiverBehaviour answer(int status, String body, String... headers) {
        var head = new StringBuilder("HTTP/1.1 " + status + " Whatever\r\n");
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        head.append("Content-Length: ").append(body.length()).append("\r\n\r\n");
        return new ScriptedResponse(head + body, ConnectionAction.KEEP);
    }

    public int port() {
        return server.getLocalPort();
    }

    public String url() {
        return "http://127.0.0.1:" + port() + "/hook";
    }

    public List<ReceivedRequest> requests() {
        return List.copyOf(requests);
    }

    /// The number of accepted connections.
    public int connections() {
        return connections.get();
    }

    /// Sends bytes without a request on all open connections.
    public void sendUnsolicited(String bytes) {
        try {
            for (var socket : open) {
                socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
                socket.getOutputStream().flush();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var socket = server.accept();
                int number = connections.incrementAndGet();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket, number));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket, int number) {
        try (socket) {
            if (peek() instanceof AcceptBehaviour(var next)) {
                take();
                apply(socket, next);
                return;
            }
            var in = socket.getInputStream();
            for (var receivedRequest = read(in, number);
                    receivedRequest != null;
                    receivedRequest = read(in, number)) {
                requests.add(receivedRequest);
                if (!perform(socket, take())) {
                    return;
                }
            }
        } catch (IOException e) {
            // The sender closed the connection, which it may do at any time.
        } finally {
            open.remove(socket);
        }
    }

    private synchronized ReceiverBehaviour peek() {
        return script.getFirst();
    }

    private synchronized ReceiverBehaviour take() {
        return script.size() > 1 ? script.removeFirst() : script.getFirst();
    }

    private boolean perform(Socket socket, ReceiverBehaviour behaviour) throws IOException {
        var out = socket.getOutputStream();
        switch (behaviour) {
            case ScriptedResponse(var bytes, var next) -> {
                out.write(bytes.getBytes(ISO_8859_1));
                out.flush();
                return apply(socket, next);
            }
            case TrickledResponse(var first, var each, var pause) -> {
                out.write(first.getBytes(ISO_8859_1));
                while (!isClosedAfter(pause)) {
                    out.write(each.getBytes(ISO_8859_1));
                    out.flush();
                }
                return false;
            }
            case DelayedBehaviour(var pause, var then) -> {
                return !isClosedAfter(pause) && perform(socket, then);
            }
            case GatedBehaviour(var gate, var then) -> {
                return isOpened(gate) && perform(socket, then);
            }
            case AcceptBehaviour(var next) -> {
                return apply(socket, next);
            }
        }
    }

    private boolean apply(Socket socket, ConnectionAction next) throws IOException {
        return switch (next) {
            case KEEP -> true;
            case CLOSE -> false;
            case RESET -> {
                socket.setSoLinger(true, 0);
                yield false;
            }
            case STALL -> !isClosedAfter(Duration.ofMinutes(1));
        };
    }

    /// Waits for the gate. Returns false when the receiver closes first.
    private boolean isOpened(CountDownLatch gate) {
        while (gate.getCount() > 0) {
            if (isClosedAfter(Duration.ofMillis(5))) {
                return false;
            }
        }
        return true;
    }

    private boolean isClosedAfter(Duration pause) {
        try {
            return closed.await(pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private static @Nullable ReceivedRequest read(InputStream in, int connection)
            throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n", Math.max(0, head.length() - 4)) < 0) {
            int next = in.read();
            if (next < 0) {
                return null;
            }
            head.append((char) next);
        }
        var lines = head.substring(0, head.length() - 4).split("\r\n", -1);
        var headers = List.of(lines).subList(1, lines.length);
        var receivedRequest = new ReceivedRequest(connection, lines[0], headers, "");
        int length =
                receivedRequest.values("Content-Length").stream().mapToInt(Integer::parseInt).sum();
        String body = new String(in.readNBytes(length), ISO_8859_1);
        return new ReceivedRequest(connection, lines[0], headers, body);
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        server.close();
        for (var socket : open) {
            socket.close();
        }
    }
}
