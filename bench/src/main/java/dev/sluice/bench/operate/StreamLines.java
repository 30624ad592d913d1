package dev.sluice.bench.operate;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.atomic.AtomicLong;

/// A connection to a live stream that counts the events and comments it reads. It does not
/// reconnect when the stream ends.
final class StreamLines implements AutoCloseable {

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong comments = new AtomicLong();
    private final Thread reader;
    private volatile boolean isConnected;

    private StreamLines(HttpRequest request) {
        reader = Thread.startVirtualThread(() -> read(request));
    }

    static StreamLines open(URI stream, String key) {
        return new StreamLines(
                HttpRequest.newBuilder(stream).header("Authorization", "Bearer " + key).build());
    }

    private void read(HttpRequest request) {
        try {
            var response = unchecked(() -> client.send(request, BodyHandlers.ofLines()));
            isConnected = response.statusCode() == 200;
            response.body().forEach(this::count);
        } catch (UncheckedIOException | IllegalStateException ended) {
            System.err.println("the stream ended: " + ended.getMessage());
        }
    }

    private void count(String line) {
        if (line.equals("event: event")) {
            events.incrementAndGet();
        } else if (line.startsWith(":")) {
            comments.incrementAndGet();
        }
    }

    boolean isConnected() {
        return isConnected;
    }

    boolean isOpen() {
        return isConnected && reader.isAlive();
    }

    long events() {
        return events.get();
    }

    long comments() {
        return comments.get();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
