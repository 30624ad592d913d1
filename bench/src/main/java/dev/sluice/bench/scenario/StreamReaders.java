package dev.sluice.bench.scenario;

import dev.sluice.bench.platform.UncheckedCalls;
import dev.sluice.bench.relay.RelayApi;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/// Clients that open a source's live stream. Some of them never read from it. The others reopen the
/// stream when the relay ends it. Closing this object ends all clients.
final class StreamReaders implements AutoCloseable {

    private static final int HEAD_BYTES = 64;

    private final RelayApi api;
    private final String path;
    private final List<Socket> sockets = new ArrayList<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final LongAdder bytes = new LongAdder();
    private final AtomicInteger opened = new AtomicInteger();
    private volatile boolean isClosed;

    private StreamReaders(RelayApi api, String source) {
        this.api = api;
        path = "/api/v1/sources/" + source + "/tail";
    }

    /// Opens the streams, and returns once all of them are open.
    ///
    /// @param stuck how many of the clients never read
    static StreamReaders open(RelayApi api, String source, int readers, int stuck) {
        var all = new StreamReaders(api, source);
        for (int i = 0; i < readers; i++) {
            boolean reads = i >= stuck;
            var socket = UncheckedCalls.unchecked(all::connect);
            var _ = all.threads.submit(() -> all.follow(socket, reads));
        }
        return all;
    }

    private Socket connect() throws IOException {
        var base = api.base();
        var socket = new Socket(base.getHost(), base.getPort());
        synchronized (sockets) {
            sockets.add(socket);
        }
        String head =
                "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n"
                        .formatted(path, base.getAuthority(), api.key());
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        var status = socket.getInputStream().readNBytes(HEAD_BYTES);
        if (!new String(status, StandardCharsets.US_ASCII).startsWith("HTTP/1.1 200")) {
            throw new IllegalStateException(
                    "a stream was refused: " + new String(status, StandardCharsets.US_ASCII));
        }
        opened.incrementAndGet();
        return socket;
    }

    private boolean follow(Socket first, boolean reads) throws InterruptedException {
        var socket = first;
        while (!isClosed && reads) {
            readAll(socket);
            try {
                socket = connect();
            } catch (IOException | IllegalStateException e) {
                Thread.sleep(100); // the relay refused a new stream
            }
        }
        return true;
    }

    /// Reads until the stream ends or its connection breaks.
    private void readAll(Socket socket) {
        byte[] buffer = new byte[16_384];
        try (var in = socket.getInputStream()) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                bytes.add(read);
            }
        } catch (IOException e) {
            // The caller will connect again.
        }
    }

    /// Returns the number of bytes that the clients have read so far.
    long bytes() {
        return bytes.sum();
    }

    /// Returns how many times a stream has been opened so far.
    int opened() {
        return opened.get();
    }

    @Override
    public void close() {
        isClosed = true;
        synchronized (sockets) {
            for (var socket : sockets) {
                UncheckedCalls.uncheckedRun(socket::close);
            }
        }
        threads.shutdownNow();
        threads.close();
    }
}
