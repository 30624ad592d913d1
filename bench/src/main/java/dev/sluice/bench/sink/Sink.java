package dev.sluice.bench.sink;

import static dev.sluice.bench.platform.UncheckedCalls.uncheckedRun;

import dev.sluice.bench.ledger.MessageEntry;
import dev.sluice.bench.ledger.MessageLedger;
import dev.sluice.bench.platform.BenchJson;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.HttpMessageReader;
import dev.sluice.bench.platform.ParentProcess;

import java.io.IOException;
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

/// Receives deliveries on one port and answers `GET /count` on another. One thread does both.
///
/// When run as a process, it prints its two ports as a line of JSON and runs until its standard
/// input is closed.
public final class Sink {

    private static final String MARKER_PREFIX = "{\"marker\":\"";
    private static final int MARKER_LENGTH = 33;

    private final Selector selector;
    private final SinkBehaviour behaviour;
    private final Optional<MessageLedger> ledger;
    private final Map<Integer, byte[]> answers = new HashMap<>();
    private final RandomGenerator random = new SplittableRandom();
    private final long start = System.nanoTime();
    private final SinkPorts ports;
    private final ArrayDeque<PendingAnswer> waiting = new ArrayDeque<>();

    private long requests;
    private long lastAnswer = start;
    private int maxPending;
    private volatile boolean stopped;

    /// The loopback ports that the sink listens on.
    public record SinkPorts(int deliveries, int control) {}

    /// A request that has not been answered yet. Requests are answered in the order in which they
    /// arrived.
    private record PendingAnswer(SinkConnection connection, int status, long until) {}

    private Sink(
            Selector selector,
            SinkBehaviour behaviour,
            Optional<MessageLedger> ledger,
            SinkPorts ports) {
        this.selector = selector;
        this.behaviour = behaviour;
        this.ledger = ledger;
        this.ports = ports;
    }

    public static void main(String[] arguments) throws IOException {
        var options = CommandLineOptions.parse(List.of(arguments));
        var behaviour = SinkBehaviour.from(options);
        var ledger = options.path("ledger");
        int port = options.number("port", 0);
        options.rejectUnknown();
        var sink = open(behaviour, ledger, port);
        System.out.println(BenchJson.compact(sink.ports()));
        ParentProcess.onExit(sink::stop);
        sink.run();
    }

    /// Opens a sink. Unless `behaviour` refuses connections, the sink is listening for deliveries
    /// when this method returns. Port 0 means any free port.
    public static Sink open(SinkBehaviour behaviour, Optional<Path> ledger, int port)
            throws IOException {
        var selector = Selector.open();
        var deliveries = listen(selector, port, false);
        var control = listen(selector, 0, true);
        var ports = new SinkPorts(port(deliveries), port(control));
        if (behaviour instanceof SinkBehaviour.RefusedConnections) {
            deliveries.close();
            // A closed channel keeps listening until its selector has released it.
            selector.selectNow();
        }
        return new Sink(selector, behaviour, ledger.map(MessageLedger::append), ports);
    }

    public SinkPorts ports() {
        return ports;
    }

    /// Runs the sink until [#stop()] is called.
    public void run() throws IOException {
        while (!stopped) {
            selector.select(this::ready, untilNextAnswer());
            answer();
        }
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
        ledger.ifPresent(MessageLedger::close);
    }

    /// Makes [#run] return. May be called from any thread.
    public void stop() {
        stopped = true;
        selector.wakeup();
    }

    private void ready(SelectionKey key) {
        uncheckedRun(() -> {
            if (key.isAcceptable()) {
                accept((ServerSocketChannel) key.channel(), Boolean.TRUE.equals(key.attachment()));
            } else {
                read((SinkConnection) key.attachment());
            }
        });
    }

    private void accept(ServerSocketChannel server, boolean isControl) throws IOException {
        for (var channel = server.accept(); channel != null; channel = server.accept()) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            var key = channel.register(selector, SelectionKey.OP_READ);
            key.attach(new SinkConnection(key, isControl));
        }
    }

    private void read(SinkConnection connection) {
        try {
            boolean open = connection.read();
            while (open && connection.reader().isComplete()) {
                receive(connection);
                connection.reader().discardMessage();
            }
            if (!open) {
                connection.close();
            }
        } catch (IOException broken) {
            // A relay that crashes resets its connections. Any complete requests are already
            // recorded.
            connection.close();
        }
    }

    private void receive(SinkConnection connection) {
        HttpMessageReader request = connection.reader();
        if (connection.isControl()) {
            boolean known = request.path().equals("/count");
            var count = new SinkCounts(requests, maxPending);
            connection.write(known ? http(200, BenchJson.compact(count)) : http(404, "{}"));
            return;
        }
        requests++;
        long now = System.nanoTime();
        int status = behaviour.status(now - start, random);
        ledger.ifPresent(open -> open.add(receipt(connection, status)));
        lastAnswer = behaviour.answerAt(now, lastAnswer);
        waiting.add(new PendingAnswer(connection, status, lastAnswer));
        maxPending = Math.max(maxPending, waiting.size());
    }

    private static MessageEntry receipt(SinkConnection connection, int status) {
        byte[] body = connection.reader().body();
        String id = connection.reader().header("x-service-event-id").orElse("-");
        return new MessageEntry.ReceivedEntry(
                marker(body), id, MessageLedger.hash(body), connection.firstByteNanos(), status);
    }

    private static String marker(byte[] body) {
        int end = MARKER_PREFIX.length() + MARKER_LENGTH;
        String start = new String(body, 0, Math.min(end, body.length), StandardCharsets.ISO_8859_1);
        return start.length() == end && start.startsWith(MARKER_PREFIX)
                ? start.substring(MARKER_PREFIX.length()).replace(' ', '_')
                : "none";
    }

    /// Writes the newly received requests to the ledger with a single write, and then sends all
    /// responses that are due.
    private void answer() {
        ledger.ifPresent(MessageLedger::flush);
        long now = System.nanoTime();
        while (!waiting.isEmpty() && waiting.getFirst().until() - now <= 0) {
            var next = waiting.removeFirst();
            if (next.status() == SinkBehaviour.RESET_CONNECTION) {
                next.connection().reset();
            } else {
                next.connection()
                        .write(answers.computeIfAbsent(next.status(), code -> http(code, "{}")));
            }
        }
    }

    /// Returns the selector's timeout in milliseconds: 0 (no timeout) if no request is waiting for
    /// a response, and at least 1 otherwise.
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
