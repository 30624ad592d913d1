package dev.sluice.testkit;

import com.launchdarkly.eventsource.CommentEvent;
import com.launchdarkly.eventsource.ConnectStrategy;
import com.launchdarkly.eventsource.ErrorStrategy;
import com.launchdarkly.eventsource.EventSource;
import com.launchdarkly.eventsource.FaultEvent;
import com.launchdarkly.eventsource.MessageEvent;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Reads a live stream with a client library, which connects again by itself and then sends the
/// last id that it got.
public final class SseClient implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /// One message of the stream.
    ///
    /// @param name the text of the `event` field
    public record Message(String name, String id, JsonNode data) {}

    private final List<Message> messages = new CopyOnWriteArrayList<>();
    private final AtomicInteger faults = new AtomicInteger();
    private final AtomicInteger comments = new AtomicInteger();
    private final EventSource source;
    private final Thread thread;
    private volatile boolean isClosing;

    private SseClient(EventSource source) {
        this.source = source;
        thread = Thread.ofVirtual().start(this::read);
    }

    /// Connects, and goes on connecting until it is closed.
    public static SseClient open(int port, String path, String key) {
        return open(port, path, key, null);
    }

    /// @param lastEventId the id from which to continue
    public static SseClient open(int port, String path, String key, @Nullable String lastEventId) {
        return open(port, path, "Authorization", "Bearer " + key, lastEventId);
    }

    /// Connects with the session of a person.
    public static SseClient open(int port, String path, Person person) {
        return open(port, path, "Cookie", "sluice_session=" + person.token(), null);
    }

    private static SseClient open(
            int port, String path, String header, String value, @Nullable String lastEventId) {
        var connect =
                ConnectStrategy.http(URI.create("http://127.0.0.1:" + port + path))
                        .header(header, value)
                        .readTimeout(60, TimeUnit.SECONDS);
        return new SseClient(
                new EventSource.Builder(connect)
                        .errorStrategy(ErrorStrategy.alwaysContinue())
                        .lastEventId(lastEventId)
                        .retryDelay(100, TimeUnit.MILLISECONDS)
                        .build());
    }

    private void read() {
        while (!isClosing) {
            try {
                switch (source.readAnyEvent()) {
                    case MessageEvent message ->
                            messages.add(
                                    new Message(
                                            message.getEventName(),
                                            String.valueOf(message.getLastEventId()),
                                            JSON.readTree(message.getData())));
                    case FaultEvent _ -> faults.incrementAndGet();
                    case CommentEvent _ -> comments.incrementAndGet();
                    default -> {}
                }
            } catch (Exception e) {
                if (!isClosing) {
                    faults.incrementAndGet();
                }
            }
        }
    }

    public List<Message> messages() {
        return messages;
    }

    /// Returns the messages of this name.
    public List<Message> messages(String name) {
        return messages.stream().filter(message -> message.name().equals(name)).toList();
    }

    /// Returns the ids of the events, in the order in which they came.
    public List<String> eventIds() {
        return messages("event").stream()
                .map(message -> message.data().path("id").asString())
                .toList();
    }

    /// Returns the id that this client would continue from.
    public String lastId() {
        return messages.getLast().id();
    }

    /// How often the connection ended or could not be made.
    public int faults() {
        return faults.get();
    }

    /// How many comments came.
    public int comments() {
        return comments.get();
    }

    public void awaitReady() {
        org.awaitility.Awaitility.await().until(() -> !messages("ready").isEmpty());
    }

    @Override
    public void close() {
        isClosing = true;
        source.close();
        thread.interrupt();
    }
}
