package dev.sluice.faults.wire;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;
import static dev.sluice.bench.platform.UncheckedCalls.uncheckedRun;

import dev.sluice.bench.platform.HttpMessageReader;
import dev.sluice.bench.platform.Wait;

import java.io.IOException;
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

/// A small HTTP load balancer. It sends each request to the next relay in turn, and tries another
/// one if that relay refuses the connection or answers 503.
///
/// If the connection to a relay fails in any other way, the balancer closes the sender's
/// connection. A request that a relay may have stored is therefore never sent twice. Each request
/// uses a new connection to the relay.
public final class LoadBalancer implements AutoCloseable {

    private static final byte[] BAD_GATEWAY_ANSWER =
            "HTTP/1.1 502 .\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] STATUS_REQUEST =
            "GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);

    private static final Duration HEALTH_CHECK_INTERVAL = Duration.ofMillis(200);

    private final ServerSocketChannel listening;
    private final List<Integer> ports;
    private final AtomicInteger nextRelay = new AtomicInteger();
    private final Map<Integer, Boolean> healthByPort = new ConcurrentHashMap<>();
    private final Set<SocketChannel> clients = ConcurrentHashMap.newKeySet();

    /// A response as it was received.
    private record BalancerResponse(int status, ByteBuffer bytes) {}

    private LoadBalancer(ServerSocketChannel listening, List<Integer> ports) {
        this.listening = listening;
        this.ports = List.copyOf(ports);
    }

    /// Like [#inFrontOf(List)], but the balancer also asks each relay five times a second whether
    /// it is ready. A relay that is not ready gets no requests, unless none of the relays is ready.
    public static LoadBalancer withHealthChecks(List<Integer> ports) {
        var balancer = inFrontOf(ports);
        Thread.ofVirtual().start(balancer::checkHealth);
        return balancer;
    }

    /// Returns a balancer for the relays that listen on these ports on this machine.
    public static LoadBalancer inFrontOf(List<Integer> ports) {
        return unchecked(() -> {
            var listening = ServerSocketChannel.open();
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
            var balancer = new LoadBalancer(listening, ports);
            Thread.ofVirtual().start(balancer::accept);
            return balancer;
        });
    }

    public URI base() {
        return URI.create("http://127.0.0.1:" + listening.socket().getLocalPort());
    }

    private void checkHealth() {
        while (listening.isOpen()) {
            ports.forEach(port -> healthByPort.put(port, isReady(port)));
            Wait.pause(HEALTH_CHECK_INTERVAL);
        }
    }

    private static boolean isReady(int port) {
        try {
            return ask(port, ByteBuffer.wrap(STATUS_REQUEST)).status() == 200;
        } catch (IOException away) {
            return false;
        }
    }

    private void accept() {
        while (listening.isOpen()) {
            try {
                var client = listening.accept();
                clients.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(SocketChannel client) {
        var reader = new HttpMessageReader();
        try (client) {
            while (true) {
                while (!reader.isComplete()) {
                    if (reader.fill(client) < 0) {
                        return;
                    }
                }
                write(client, answer(reader.message()).bytes());
                reader.discardMessage();
            }
        } catch (IOException gone) {
            // The try statement has closed the sender's connection, so the sender notices the
            // failure.
            return;
        } finally {
            clients.remove(client);
        }
    }

    /// Returns the response of the first relay that accepts the request. If none does, returns the
    /// last 503 response, or 502 if all relays refused the connection.
    private BalancerResponse answer(ByteBuffer request) throws IOException {
        var last = new BalancerResponse(502, ByteBuffer.wrap(BAD_GATEWAY_ANSWER));
        int first = nextRelay.getAndIncrement();
        var ready =
                ports.stream().filter(port -> this.healthByPort.getOrDefault(port, true)).toList();
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

    private static BalancerResponse ask(int port, ByteBuffer request) throws IOException {
        try (var relay =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            write(relay, request);
            var reader = new HttpMessageReader();
            while (reader.isEmpty() || !reader.isComplete()) {
                if (reader.fill(relay) < 0) {
                    throw new IOException("a relay ended the connection without an answer");
                }
            }
            return new BalancerResponse(reader.status(), reader.message());
        }
    }

    private static void write(SocketChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    @Override
    public void close() {
        uncheckedRun(() -> {
            listening.close();
            for (SocketChannel client : clients) {
                client.close();
            }
        });
    }
}
