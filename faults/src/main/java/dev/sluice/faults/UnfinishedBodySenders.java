package dev.sluice.faults;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayApi;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/// An attack by 450 senders that send requests to one source but never finish the bodies. Each
/// sends all but the last 1,000 bytes of a body immediately, and then one byte every 15 s. A third
/// of the bodies are 1 MiB; the others, 64 KiB or 4 KiB, fill the memory that the relay has left. A
/// sender whose request is answered or cut off tries again after a second.
final class UnfinishedBodySenders implements AttackedNeighbourFault.Attack {

    private static final int CONNECTIONS = 450;
    private static final int[] BODY_BYTES = {1 << 20, 64 << 10, 4 << 10};
    private static final int MISSING_BYTES = 1_000;
    private static final Duration BYTE_INTERVAL = Duration.ofSeconds(15);
    private static final Duration RETURN_DELAY = Duration.ofSeconds(1);

    private final URI ingest;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicLong bodies = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final long start = System.nanoTime();

    private UnfinishedBodySenders(URI ingest) {
        this.ingest = ingest;
    }

    static UnfinishedBodySenders start(RelayApi api) {
        var senders = new UnfinishedBodySenders(api.createSource("greedy").ingest());
        for (int i = 0; i < CONNECTIONS; i++) {
            int declared = BODY_BYTES[i % BODY_BYTES.length];
            var _ = senders.threads.submit(() -> senders.run(declared));
        }
        return senders;
    }

    private void run(int declared) {
        while (!threads.isShutdown()) {
            try (var socket = new Socket(ingest.getHost(), ingest.getPort())) {
                send(socket, declared);
            } catch (IOException refused) {
                // The relay may close the connection before everything has been sent.
            }
            Wait.pause(RETURN_DELAY);
        }
    }

    private void send(Socket socket, int declared) throws IOException {
        String head =
                "POST %s HTTP/1.1\r\nHost: relay\r\nContent-Length: %d\r\n\r\n"
                        .formatted(ingest.getPath(), declared);
        socket.setSoTimeout((int) BYTE_INTERVAL.toMillis());
        bodies.incrementAndGet();
        bytes.addAndGet(declared);
        var out = socket.getOutputStream();
        out.write((head + "x".repeat(declared - MISSING_BYTES)).getBytes(US_ASCII));
        while (!isAnswered(socket)) {
            out.write('x');
        }
    }

    private static boolean isAnswered(Socket socket) throws IOException {
        try {
            int _ = socket.getInputStream().read();
            return true;
        } catch (SocketTimeoutException silence) {
            return false;
        }
    }

    @Override
    public String offeredLoad() {
        double seconds = (System.nanoTime() - start) / 1e9;
        return "%d connections: %.0f bodies/s, %.0f MiB/s"
                .formatted(CONNECTIONS, bodies.get() / seconds, bytes.get() / seconds / (1 << 20));
    }

    @Override
    public void close() {
        threads.shutdownNow();
        threads.close();
    }
}
