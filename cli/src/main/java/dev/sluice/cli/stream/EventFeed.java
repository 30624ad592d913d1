package dev.sluice.cli.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.events.FilteredEvent;
import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.stream.SseReader.SseMessage;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/// Follows a live event stream and passes its events to a [FeedListener]. If the connection is
/// lost, the feed reconnects. It then continues after the last position that it passed to the
/// listener, unless the request names another path to use after a loss.
public final class EventFeed {

    static final Duration POLL_INTERVAL = Duration.ofMillis(250);
    private static final Duration MIN_BACKOFF = Duration.ofMillis(500);
    private static final Duration MAX_BACKOFF = Duration.ofSeconds(30);

    private static final int MAX_REMEMBERED_IDS = 10_000;

    private final ServerClient client;
    private final InstantSource wallClock;
    private final Optional<String> pathAfterLoss;
    private final StreamTimeouts timeouts;
    private final FeedListener listener;
    private final Optional<StoredEvents> storedEvents;
    private final Set<String> seen = new LinkedHashSet<>();
    private String path;
    private String cursor;
    private boolean wasOpen;
    private String lossReason = "";

    /// The time at which the newest event arrived, in the server's format. Empty before the first
    /// event.
    private String lastReceived = "";

    /// If present, the stream may have missed events that arrived at this time or later, and they
    /// have not yet been read from the API.
    private Optional<String> missedSince = Optional.empty();

    private boolean hasSlept;
    private volatile boolean isHandling;
    private volatile boolean isStopped;

    /// @param wallClock the wall clock, used to detect that the machine was asleep
    public EventFeed(
            ServerClient client,
            InstantSource wallClock,
            StreamRequest request,
            StreamTimeouts timeouts,
            FeedListener listener) {
        this.client = client;
        this.wallClock = wallClock;
        this.path = request.path();
        this.cursor = request.cursor();
        this.pathAfterLoss = request.pathAfterLoss();
        this.timeouts = timeouts;
        this.listener = listener;
        this.storedEvents = request.storedEvents(client);
    }

    /// Passes events to the listener until the listener is done or the feed is stopped.
    ///
    /// @throws CommandException if the stream cannot be opened, or if a lost stream cannot be
    ///   reopened in time, or if the server refuses to reopen it
    public void run() throws InterruptedException {
        int attempt = 0;
        var waited = Duration.ZERO;
        long lostNanos = System.nanoTime();
        while (isWanted()) {
            Duration delay;
            try (var connection = StreamConnection.open(client, path, cursor)) {
                follow(connection);
                attempt = 1;
                waited = Duration.ZERO;
                lostNanos = System.nanoTime();
                delay = hasSlept ? Duration.ZERO : backoff(0);
            } catch (IOException e) {
                var unreachable = ServerClient.unreachable(client.server(), e);
                if (!wasOpen) {
                    throw unreachable;
                }
                lossReason = unreachable.problem();
                delay = backoff(attempt++);
            } catch (CommandException e) {
                delay = delayAfter(e, attempt++, waited);
                waited = e.exitCode() == ExitCode.RATE_LIMITED ? waited.plus(delay) : Duration.ZERO;
            }
            if (isWanted()) {
                pause(attempt, delay, Duration.ofNanos(System.nanoTime() - lostNanos));
            }
        }
    }

    private boolean isWanted() {
        return !isStopped && !listener.isDone();
    }

    /// Makes [#run()] return soon. Can be called from any thread.
    public void stop() {
        isStopped = true;
    }

    /// Returns how long to wait before the next attempt. Throws `refusal` if there should not be
    /// one.
    private Duration delayAfter(CommandException refusal, int attempt, Duration waited) {
        lossReason = refusal.problem();
        var wait = refusal.retryAfter().orElse(MIN_BACKOFF);
        if (refusal.exitCode() == ExitCode.RATE_LIMITED
                && waited.plus(wait).compareTo(timeouts.streamLimit()) <= 0) {
            return wait;
        }
        boolean isPassing = // such as 503 while the server is starting
                refusal.exitCode() == ExitCode.FAILED || refusal.exitCode() == ExitCode.NETWORK;
        if (isPassing && wasOpen) {
            return backoff(attempt);
        }
        throw refusal;
    }

    private void pause(int attempt, Duration delay, Duration lost) throws InterruptedException {
        if (lost.plus(delay).compareTo(timeouts.reconnect()) > 0) {
            throw new CommandException(
                    ExitCode.NETWORK,
                    "stream_lost",
                    "The stream was lost and did not come back within %d s: %s."
                            .formatted(timeouts.reconnect().toSeconds(), lossReason),
                    "`--catch-up` continues where it ended.");
        }
        pathAfterLoss.ifPresent(this::startAnew);
        listener.onReconnecting(attempt, delay, lossReason);
        var sleep = new SleepDetector(wallClock);
        long end = System.nanoTime() + delay.toNanos();
        while (isWanted() && System.nanoTime() < end && !sleep.hasSlept()) {
            Thread.sleep(Math.min(POLL_INTERVAL.toMillis(), delay.toMillis() + 1));
        }
    }

    private void startAnew(String livePath) {
        if (wasOpen) {
            path = livePath;
            cursor = "";
        }
    }

    /// Returns a random delay. Its upper limit doubles with each attempt, up to 30 s. The
    /// randomness prevents all clients of a restarted server from reconnecting at the same time.
    private static Duration backoff(int attempt) {
        long longest =
                Math.min(
                        MAX_BACKOFF.toMillis(),
                        MIN_BACKOFF.toMillis() << Math.min(attempt + 1, 10));
        return Duration.ofMillis(
                ThreadLocalRandom.current().nextLong(MIN_BACKOFF.toMillis(), longest + 1));
    }

    private void follow(StreamConnection connection) throws InterruptedException {
        hasSlept = false;
        lossReason = "the server closed the stream";
        var watcher = Thread.ofVirtual().name("stream watcher").start(() -> watch(connection));
        try {
            take(connection);
        } finally {
            watcher.interrupt();
        }
        if (connection.isCut()) {
            lossReason = "nothing came for " + timeouts.noData().toSeconds() + " s";
        }
    }

    /// Cuts the connection when no data has arrived for too long, even while the listener is
    /// handling an event.
    private void watch(StreamConnection connection) {
        try {
            while (connection.silence().compareTo(timeouts.noData()) <= 0) {
                Thread.sleep(POLL_INTERVAL);
            }
            if (connection.cut() && isHandling) {
                listener.onSilence(timeouts.noData());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the connection is no longer needed
        }
    }

    private void take(StreamConnection connection) throws InterruptedException {
        var sleep = new SleepDetector(wallClock);
        while (isWanted() && !connection.isOver()) {
            var message = connection.poll(POLL_INTERVAL);
            if (message.isPresent()) {
                isHandling = true;
                try {
                    handle(message.get());
                } finally {
                    isHandling = false;
                }
                if (connection.isFull()) {
                    listener.onBacklog();
                }
            }
            if (sleep.hasSlept()) {
                hasSlept = true;
                lossReason = "the machine was asleep, or its clock was moved on";
                return;
            }
        }
    }

    private void handle(SseMessage message) {
        switch (message.event()) {
            case "ready" -> {
                onReady();
                fetchMissed();
            }
            case "event" -> handOn(StoredEvent.read(JsonTree.read(message.data())));
            case "filtered" -> handOnFiltered(message.data());
            case "gap" -> {
                String reason = reason(message);
                listener.onGap(reason);
                // The feed must fetch the missed events itself only if the reason is
                // `database_replaced`. After any other gap, the stream sends the missed events that
                // are still stored.
                if (reason.equals("database_replaced") && !lastReceived.isEmpty()) {
                    missedSince = missedSince.or(() -> Optional.of(lastReceived));
                    fetchMissed();
                }
            }
            case "bye" -> lossReason = "the server said " + reason(message);
            default -> {
                // A heartbeat, or a message that only newer servers send.
            }
        }
        // The `ready` message of a resumed stream must not advance the position. The server may
        // still have events to send between the old position and the message's position. If this
        // run ended before they arrived, the next run would skip them.
        boolean isResumed = message.event().equals("ready") && !cursor.isEmpty();
        if (!message.id().isEmpty() && !isResumed) {
            cursor = message.id();
            listener.onCursor(cursor);
        }
    }

    private void onReady() {
        if (!wasOpen) {
            listener.onReady();
        } else if (pathAfterLoss.isPresent()) {
            listener.onResumed(OptionalLong.empty());
            listener.onGap("not_resumed");
        } else {
            listener.onResumed(countMissed());
        }
        wasOpen = true;
    }

    private OptionalLong countMissed() {
        if (storedEvents.isEmpty() || lastReceived.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            return storedEvents.get().countSince(lastReceived);
        } catch (CommandException e) {
            return OptionalLong.empty(); // the number is only for display
        }
    }

    /// Uses the API to read the events that the stream may have missed, and passes them to the
    /// listener. They are skipped if [StreamRequest#storedEvents] returns empty. If the server
    /// cannot be reached, the feed tries again after it has reconnected.
    private void fetchMissed() {
        if (missedSince.isPresent() && storedEvents.isPresent()) {
            for (var listed : storedEvents.get().since(missedSince.get())) {
                if (isWanted() && !seen.contains(listed.id())) {
                    storedEvents.get().whole(listed).ifPresent(this::handOn);
                }
            }
        }
        missedSince = Optional.empty();
    }

    private void handOn(StoredEvent event) {
        if (isNew(event)) {
            listener.onEvent(event);
        }
    }

    private void handOnFiltered(String data) {
        var filtered = FilteredEvent.read(JsonTree.read(data));
        if (isNew(filtered.event())) {
            listener.onFiltered(filtered);
        }
    }

    /// Returns whether the event is new, that is, not among the last 10,000 events received, and
    /// remembers it for later calls. The server may send some events twice when a stream continues
    /// after an event's id.
    private boolean isNew(StoredEvent event) {
        boolean isNew = seen.add(event.id());
        if (event.receivedAt().compareTo(lastReceived) > 0) {
            lastReceived = event.receivedAt();
        }
        if (seen.size() > MAX_REMEMBERED_IDS) {
            seen.remove(seen.iterator().next());
        }
        return isNew;
    }

    private static String reason(SseMessage message) {
        return JsonTree.tryRead(message.data().getBytes(UTF_8))
                .map(json -> json.path("reason").asString(""))
                .orElse("");
    }
}
