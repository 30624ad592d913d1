package dev.sluice.bench.sink;

import dev.sluice.bench.ledger.Entry;
import dev.sluice.bench.ledger.Ledger;
import dev.sluice.bench.platform.Inbox;
import dev.sluice.bench.platform.Json;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.Parent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/// Receives deliveries on one port and answers `GET /count` on another, from one thread.
///
/// As a process it prints its two ports as a line of JSON and runs until its standard input ends.
public final class Sink {

    private static final String MARKER = "{\"marker\":\"";
    private static final int MARKER_LENGTH = 33;

    private final Selector selector;
    private final Behaviour behaviour;
    private final Optional<Ledger> ledger;
    private final Map<Integer, byte[]> answers = new HashMap<>();
    private final RandomGenerator random = new SplittableRandom();
    private final long start = System.nanoTime();
    private final Ports ports;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    private long requests;
    private long bytes;
    private long answered;
    private long lastAnswer = start;
    private int mostAtOnce;
    private volatile boolean stopped;

    /// Where it listens, both on loopback.
    public record Ports(int deliveries, int control) {}

    /// A request that is not answered yet. None overtakes another, so they stand in order.
    private record Waiting(Arrival arrival, int status, long until) {}

    private Sink(Selector selector, Behaviour behaviour, Optional<Ledger> ledger, Ports ports) {
        this.selector = selector;
        this.behaviour = behaviour;
        this.ledger = ledger;
        this.ports = ports;
    }

    public static void main(String[] arguments) throws IOException {
        var options = Options.parse(List.of(arguments));
        var behaviour = Behaviour.from(options);
        var ledger = options.path("ledger");
        int port = options.number("port", 0);
        options.finish();
        var sink = open(behaviour, ledger, port);
        System.out.println(Json.line(sink.ports()));
        Parent.whenGone(sink::stop);
        sink.run();
    }

    /// Listens from here on; port 0 takes any free one.
    public static Sink open(Behaviour behaviour, Optional<Path> ledger, int port)
            throws IOException {
        var selector = Selector.open();
        var deliveries = listen(selector, port, false);
        var control = listen(selector, 0, true);
        var ports = new Ports(port(deliveries), port(control));
        if (behaviour instanceof Behaviour.Refuse) {
            deliveries.close();
            // A registered channel goes on listening until its selector lets go of it.
            selector.selectNow();
        }
        return new Sink(selector, behaviour, ledger.map(Ledger::append), ports);
    }

    public Ports ports() {
        return ports;
    }

    /// Returns after [#stop()].
    public void run() throws IOException {
        while (!stopped) {
            selector.select(this::ready, untilNextAnswer());
            answer();
        }
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
        ledger.ifPresent(Ledger::close);
    }

    /// May be called from any thread.
    public void stop() {
        stopped = true;
        selector.wakeup();
    }

    private void ready(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept((ServerSocketChannel) key.channel(), Boolean.TRUE.equals(key.attachment()));
            } else {
                read((Arrival) key.attachment());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept(ServerSocketChannel server, boolean isControl) throws IOException {
        for (var channel = server.accept(); channel != null; channel = server.accept()) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            var key = channel.register(selector, SelectionKey.OP_READ);
            key.attach(new Arrival(key, isControl));
        }
    }

    private void read(Arrival arrival) {
        try {
            boolean open = arrival.read();
            while (open && arrival.inbox().isComplete()) {
                take(arrival);
                arrival.inbox().next();
            }
            if (!open) {
                arrival.close();
            }
        } catch (IOException broken) {
            // A crashing relay resets its connections; what was whole is written down.
            arrival.close();
        }
    }

    private void take(Arrival arrival) {
        Inbox request = arrival.inbox();
        if (arrival.isControl()) {
            boolean known = request.path().equals("/count");
            var count = new Count(requests, bytes, answered, connections(), mostAtOnce);
            arrival.write(known ? http(200, Json.line(count)) : http(404, "{}"));
            return;
        }
        requests++;
        bytes += request.bodyLength();
        long now = System.nanoTime();
        int status = behaviour.status(now - start, random);
        ledger.ifPresent(open -> open.add(receipt(arrival, status)));
        lastAnswer = behaviour.answerAt(now, lastAnswer);
        waiting.add(new Waiting(arrival, status, lastAnswer));
        mostAtOnce = Math.max(mostAtOnce, waiting.size());
    }

    private int connections() {
        int count = 0;
        for (SelectionKey key : selector.keys()) {
            boolean delivers = key.attachment() instanceof Arrival open && !open.isControl();
            count += delivers && key.isValid() ? 1 : 0;
        }
        return count;
    }

    private static Entry receipt(Arrival arrival, int status) {
        byte[] body = arrival.inbox().body();
        String id = arrival.inbox().header("x-service-event-id").orElse("-");
        return new Entry.Received(marker(body), id, Ledger.hash(body), arrival.firstByte(), status);
    }

    private static String marker(byte[] body) {
        int end = MARKER.length() + MARKER_LENGTH;
        String start = new String(body, 0, Math.min(end, body.length), StandardCharsets.ISO_8859_1);
        return start.length() == end && start.startsWith(MARKER)
                ? start.substring(MARKER.length()).replace(' ', '_')
                : "none";
    }

    /// Writes the round's receipts down with one call, then answers.
    private void answer() {
        ledger.ifPresent(Ledger::flush);
        long now = System.nanoTime();
        while (!waiting.isEmpty() && waiting.getFirst().until() - now <= 0) {
            var next = waiting.removeFirst();
            if (next.status() == Behaviour.RESET) {
                next.arrival().reset();
            } else {
                next.arrival()
                        .write(answers.computeIfAbsent(next.status(), code -> http(code, "{}")));
            }
            answered++;
        }
    }

    /// In milliseconds, at least 1; 0 waits for the next request however long that takes.
    private long untilNextAnswer() {
        if (waiting.isEmpty()) {
            return 0;
        }
        return Math.max(1, (waiting.getFirst().until() - System.nanoTime()) / 1_000_000);
    }

    private static ServerSocketChannel listen(Selector selector, int port, boolean isControl)
            throws IOException {
        var server = ServerSocketChannel.open();
        server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 4096);
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT, isControl);
        return server;
    }

    private static int port(ServerSocketChannel server) throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    private static byte[] http(int status, String body) {
        return """
        HTTP/1.1 %s .
        Content-Type: application/json
        Content-Length: %s

        """
                .formatted(Integer.toString(status), Integer.toString(body.length()))
                .replace("\n", "\r\n")
                .concat(body)
                .getBytes(StandardCharsets.US_ASCII);
    }
}
