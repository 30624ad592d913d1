package dev.sluice.bench.wire;

import dev.sluice.bench.platform.Inbox;
import dev.sluice.bench.platform.Wait;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// Hands each request to the next of some relays and to another one where that refuses the
/// connection or answers 503.
///
/// Any other end of a connection is passed on to the sender: a request that may have been read is
/// never sent twice. Each request has a connection of its own to the relay.
public final class Balancer implements AutoCloseable {

    private static final byte[] BAD_GATEWAY =
            "HTTP/1.1 502 .\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] STATUS =
            "GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);

    private static final Duration LOOK = Duration.ofMillis(200);

    private final ServerSocketChannel listening;
    private final List<Integer> ports;
    private final AtomicInteger turn = new AtomicInteger();
    private final Map<Integer, Boolean> ready = new ConcurrentHashMap<>();
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();

    /// An answer as it came.
    private record Answer(int status, ByteBuffer bytes) {}

    private Balancer(ServerSocketChannel listening, List<Integer> ports) {
        this.listening = listening;
        this.ports = List.copyOf(ports);
    }

    /// As [#before(List)], and asks the relays five times a second whether they are ready: nothing
    /// is sent to one that is not, unless none is.
    public static Balancer asking(List<Integer> ports) {
        var balancer = before(ports);
        Thread.ofVirtual().start(balancer::look);
        return balancer;
    }

    /// Of relays that listen on these ports of this machine.
    public static Balancer before(List<Integer> ports) {
        try {
            var listening = ServerSocketChannel.open();
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
            var balancer = new Balancer(listening, ports);
            Thread.ofVirtual().start(balancer::accept);
            return balancer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public URI base() {
        return URI.create("http://127.0.0.1:" + listening.socket().getLocalPort());
    }

    private void look() {
        while (listening.isOpen()) {
            ports.forEach(port -> ready.put(port, isReady(port)));
            Wait.pause(LOOK);
        }
    }

    private static boolean isReady(int port) {
        try {
            return ask(port, ByteBuffer.wrap(STATUS)).status() == 200;
        } catch (IOException away) {
            return false;
        }
    }

    private void accept() {
        while (listening.isOpen()) {
            try {
                var client = listening.accept();
                open.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(SocketChannel client) {
        var inbox = new Inbox();
        try (client) {
            while (true) {
                while (!inbox.isComplete()) {
                    if (inbox.fill(client) < 0) {
                        return;
                    }
                }
                write(client, answer(inbox.message()).bytes());
                inbox.next();
            }
        } catch (IOException gone) {
            // The sender sees its connection end.
            return;
        } finally {
            open.remove(client);
        }
    }

    /// Of the first relay that takes it; else of the last that refused.
    private Answer answer(ByteBuffer request) throws IOException {
        var last = new Answer(502, ByteBuffer.wrap(BAD_GATEWAY));
        int first = turn.getAndIncrement();
        var ready = ports.stream().filter(port -> this.ready.getOrDefault(port, true)).toList();
        var asked = ready.isEmpty() ? ports : ready;
        for (int attempt = 0; attempt < asked.size(); attempt++) {
            int port = asked.get(Math.floorMod(first + attempt, asked.size()));
            try {
                last = ask(port, request.duplicate());
            } catch (ConnectException refused) {
                continue;
            }
            if (last.status() != 503) {
                return last;
            }
        }
        return last;
    }

    private static Answer ask(int port, ByteBuffer request) throws IOException {
        try (var relay =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            write(relay, request);
            var inbox = new Inbox();
            while (inbox.isEmpty() || !inbox.isComplete()) {
                if (inbox.fill(relay) < 0) {
                    throw new IOException("a relay ended the connection without an answer");
                }
            }
            return new Answer(inbox.status(), inbox.message());
        }
    }

    private static void write(SocketChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
            for (SocketChannel client : open) {
                client.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
