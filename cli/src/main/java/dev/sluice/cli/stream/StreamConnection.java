package dev.sluice.cli.stream;

import dev.sluice.cli.server.Refusal;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.stream.SseReader.SseMessage;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/// A connection from an [EventFeed] to the server. A separate thread reads from it, so that the
/// feed can notice when no data arrives.
final class StreamConnection implements AutoCloseable {

    static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);

    /// The maximum number of messages that are queued while the listener is busy. When the queue is
    /// full, reading stops and the server must wait.
    private static final int QUEUE_SIZE = 32;

    private final HttpClient http;
    private final InputStream body;
    private final BlockingQueue<SseMessage> messages = new ArrayBlockingQueue<>(QUEUE_SIZE);
    private volatile long lastByteNanos = System.nanoTime();
    private volatile boolean isOver;
    private volatile boolean isCut;

    private StreamConnection(HttpClient http, InputStream body) {
        this.http = http;
        this.body = body;
    }

    /// Opens a connection and starts reading from it.
    ///
    /// @param lastEventId the position to continue after; if empty, the query in `path` says where
    ///   to start
    /// @throws dev.sluice.cli.shell.CommandException if the server refuses the request
    static StreamConnection open(ServerClient client, String path, String lastEventId)
            throws IOException, InterruptedException {
        var http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(ANSWER_TIMEOUT)
                        .build();
        boolean isOpen = false;
        try {
            var request =
                    client.request(path)
                            .timeout(ANSWER_TIMEOUT)
                            .header("Accept", "text/event-stream");
            if (!lastEventId.isEmpty()) {
                request.header("Last-Event-ID", lastEventId);
            }
            var connection = new StreamConnection(http, send(http, request.build()));
            Thread.ofVirtual().name("stream reader").start(connection::read);
            isOpen = true;
            return connection;
        } finally {
            if (!isOpen) {
                http.shutdownNow();
            }
        }
    }

    private static InputStream send(HttpClient http, HttpRequest request)
            throws IOException, InterruptedException {
        HttpResponse<InputStream> response = http.send(request, BodyHandlers.ofInputStream());
        if (response.statusCode() != 200) {
            try (var refusal = response.body()) {
                throw Refusal.of(
                        response.statusCode(), refusal.readNBytes(100_000), response.headers());
            }
        }
        return response.body();
    }

    private void read() {
        try {
            var reader = new SseReader(body, this::touch);
            for (var next = reader.next(); next.isPresent(); next = reader.next()) {
                messages.put(next.get());
                touch(); // time spent waiting for room in the queue is not silence
            }
        } catch (IOException e) {
            // The connection was lost, or it was cut or closed on this side.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            isOver = true;
        }
    }

    private void touch() {
        lastByteNanos = System.nanoTime();
    }

    Optional<SseMessage> poll(Duration limit) throws InterruptedException {
        return Optional.ofNullable(messages.poll(limit.toMillis(), TimeUnit.MILLISECONDS));
    }

    /// Returns whether the queue is full. While it is full, nothing is read.
    boolean isFull() {
        return messages.remainingCapacity() == 0;
    }

    /// Returns whether the connection has ended and all its messages have been polled.
    boolean isOver() {
        return isOver && messages.isEmpty();
    }

    /// Returns how long ago data last arrived. While the queue is full, nothing is read, so the
    /// result is zero.
    Duration silence() {
        return isFull() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - lastByteNanos);
    }

    /// Ends the connection because no data is arriving, unless it has already ended. Messages that
    /// have already arrived can still be polled.
    ///
    /// @return whether this call ended the connection
    boolean cut() {
        if (isOver) {
            return false;
        }
        isCut = true;
        end();
        return true;
    }

    /// Returns whether [#cut()] has ended the connection.
    boolean isCut() {
        return isCut;
    }

    private void end() {
        http.shutdownNow();
        try {
            body.close();
        } catch (IOException e) {
            // The connection is closed either way.
        }
        isOver = true;
    }

    @Override
    public void close() {
        end();
        messages.clear(); // unblocks the reader if it is waiting for room
    }
}
