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

/// An HTTP server on a loopback socket that does what it is told to, well or badly, and records
/// each request as it stood on the wire.
public final class Receiver implements AutoCloseable {

    /// What the receiver does with one request.
    public sealed interface Behaviour {}

    /// Sends these bytes (one for each character), then does `next`.
    public record Say(String bytes, Next next) implements Behaviour {}

    /// Sends `first`, then `each` again and again with a pause between.
    public record Drip(String first, String each, Duration pause) implements Behaviour {}

    /// Waits before it does what it does.
    public record Late(Duration pause, Behaviour then) implements Behaviour {}

    /// Waits until the gate is open before it does what it does.
    public record Gated(CountDownLatch gate, Behaviour then) implements Behaviour {}

    /// Does `next` before it has read anything. Counts for connections, not for requests.
    public record OnAccept(Next next) implements Behaviour {}

    /// What becomes of the connection.
    public enum Next {
        KEEP,
        CLOSE,
        RESET,
        STALL
    }

    /// A request as it was received.
    ///
    /// @param connection counts from 1
    /// @param headers the lines, in order
    /// @param body a character for each byte
    public record Received(int connection, String line, List<String> headers, String body) {

        /// All values of the name, whatever its case.
        public List<String> values(String name) {
            return headers.stream()
                    .filter(header ->
                            header.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                    .map(header -> header.substring(name.length() + 1).strip())
                    .toList();
        }
    }

    private final ServerSocket server;
    private final Deque<Behaviour> script = new ArrayDeque<>();
    private final List<Received> requests = new CopyOnWriteArrayList<>();
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

    /// From now on, in order; the last one for all further requests too.
    public synchronized void will(Behaviour... behaviours) {
        script.clear();
        script.addAll(List.of(behaviours));
    }

    public void willAnswer(int... statuses) {
        var answers = new Behaviour[statuses.length];
        for (int i = 0; i < statuses.length; i++) {
            answers[i] = answer(statuses[i], "");
        }
        will(answers);
    }

    /// A well-formed answer.
    public static Behaviour answer(int status, String body, String... headers) {
        var head = new StringBuilder("HTTP/1.1 " + status + " Whatever\r\n");
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        head.append("Content-Length: ").append(body.length()).append("\r\n\r\n");
        return new Say(head + body, Next.KEEP);
    }

    public int port() {
        return server.getLocalPort();
    }

    public String url() {
        return "http://127.0.0.1:" + port() + "/hook";
    }

    public List<Received> requests() {
        return List.copyOf(requests);
    }

    /// How many connections were accepted.
    public int connections() {
        return connections.get();
    }

    /// Sends bytes that nobody asked for on all open connections.
    public void shout(String bytes) {
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
            if (peek() instanceof OnAccept(var next)) {
                take();
                end(socket, next);
                return;
            }
            var in = socket.getInputStream();
            for (var request = read(in, number); request != null; request = read(in, number)) {
                requests.add(request);
                if (!act(socket, take())) {
                    return;
                }
            }
        } catch (IOException e) {
            // The other side went away, which senders may do.
        } finally {
            open.remove(socket);
        }
    }

    private synchronized Behaviour peek() {
        return script.getFirst();
    }

    private synchronized Behaviour take() {
        return script.size() > 1 ? script.removeFirst() : script.getFirst();
    }

    private boolean act(Socket socket, Behaviour behaviour) throws IOException {
        var out = socket.getOutputStream();
        switch (behaviour) {
            case Say(var bytes, var next) -> {
                out.write(bytes.getBytes(ISO_8859_1));
                out.flush();
                return end(socket, next);
            }
            case Drip(var first, var each, var pause) -> {
                out.write(first.getBytes(ISO_8859_1));
                while (!isClosedAfter(pause)) {
                    out.write(each.getBytes(ISO_8859_1));
                    out.flush();
                }
                return false;
            }
            case Late(var pause, var then) -> {
                return !isClosedAfter(pause) && act(socket, then);
            }
            case Gated(var gate, var then) -> {
                return isOpened(gate) && act(socket, then);
            }
            case OnAccept(var next) -> {
                return end(socket, next);
            }
        }
    }

    private boolean end(Socket socket, Next next) throws IOException {
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

    /// False when the receiver is closed first.
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

    private static @Nullable Received read(InputStream in, int connection) throws IOException {
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
        var request = new Received(connection, lines[0], headers, "");
        int length = request.values("Content-Length").stream().mapToInt(Integer::parseInt).sum();
        String body = new String(in.readNBytes(length), ISO_8859_1);
        return new Received(connection, lines[0], headers, body);
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
