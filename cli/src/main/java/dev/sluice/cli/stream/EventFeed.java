package dev.sluice.cli.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.stream.SseReader.SseMessage;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/// Events as they are stored, over any number of connections: when one is lost, the next continues
/// after the last event that was handed on.
public final class EventFeed {

    /// The server sends a heartbeat every 15 s.
    public static final Duration MAX_SILENCE = Duration.ofSeconds(35);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(250);
    private static final Duration MIN_BACKOFF = Duration.ofMillis(500);
    private static final Duration MAX_BACKOFF = Duration.ofSeconds(30);

    /// How long the command waits, in all, for another stream of the workspace to close.
    private static final Duration MAX_STREAM_LIMIT_WAIT = Duration.ofMinutes(2);

    /// So much more wall clock than monotonic clock means that the machine slept.
    private static final Duration MIN_CLOCK_JUMP = Duration.ofSeconds(10);

    private static final int MAX_REMEMBERED_IDS = 10_000;

    private final ServerClient client;
    private final String path;
    private final Duration maxReconnectTime;
    private final Duration maxSilence;
    private final FeedListener listener;
    private final Set<String> seen = new LinkedHashSet<>();
    private String cursor;
    private boolean wasOpen;
    private String lossReason = "";
    private volatile boolean isStopped;

    /// @param path of the stream, with its query
    /// @param cursor the place to continue from; empty for what the path says
    /// @param maxReconnectTime how long a lost stream is tried again
    /// @param maxSilence after which a stream counts as lost
    public EventFeed(
            ServerClient client,
            String path,
            String cursor,
            Duration maxReconnectTime,
            Duration maxSilence,
            FeedListener listener) {
        this.client = client;
        this.path = path;
        this.cursor = cursor;
        this.maxReconnectTime = maxReconnectTime;
        this.maxSilence = maxSilence;
        this.listener = listener;
    }

    /// Hands events to the listener until it has enough, or the feed is stopped.
    ///
    /// @throws CommandException if the stream cannot be had
    public void run() throws InterruptedException {
        int attempt = 0;
        var waited = Duration.ZERO;
        long lostNanos = System.nanoTime();
        while (isWanted()) {
            Duration delay;
            try (var connection = StreamConnection.open(client, path, cursor)) {
                follow(connection);
                attempt = 0;
                waited = Duration.ZERO;
                lostNanos = System.nanoTime();
                delay = backoff(attempt++);
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

    /// Ends [#run()] soon; another thread may call it.
    public void stop() {
        isStopped = true;
    }

    /// A refusal is final, unless it is one that passes.
    private Duration delayAfter(CommandException refusal, int attempt, Duration waited) {
        lossReason = refusal.problem();
        var wait = refusal.retryAfter().orElse(MIN_BACKOFF);
        if (refusal.exitCode() == ExitCode.RATE_LIMITED
                && waited.plus(wait).compareTo(MAX_STREAM_LIMIT_WAIT) <= 0) {
            return wait;
        }
        if (refusal.exitCode() == ExitCode.FAILED && wasOpen) {
            return backoff(attempt); // such as 503 while the server starts
        }
        throw refusal;
    }

    private void pause(int attempt, Duration delay, Duration lost) throws InterruptedException {
        if (lost.plus(delay).compareTo(maxReconnectTime) > 0) {
            throw new CommandException(
                    ExitCode.NETWORK,
                    "stream_lost",
                    "The stream was lost and did not come back within %d s: %s."
                            .formatted(maxReconnectTime.toSeconds(), lossReason),
                    "`--catch-up` continues where it ended.");
        }
        listener.onReconnecting(attempt, delay, lossReason);
        long end = System.nanoTime() + delay.toNanos();
        while (isWanted() && System.nanoTime() < end) {
            Thread.sleep(Math.min(POLL_INTERVAL.toMillis(), delay.toMillis() + 1));
        }
    }

    /// Full jitter, so that many clients of a server that starts again do not come at once.
    private static Duration backoff(int attempt) {
        long longest =
                Math.min(
                        MAX_BACKOFF.toMillis(),
                        MIN_BACKOFF.toMillis() << Math.min(attempt + 1, 10));
        return Duration.ofMillis(
                ThreadLocalRandom.current().nextLong(MIN_BACKOFF.toMillis(), longest + 1));
    }

    private void follow(StreamConnection connection) throws InterruptedException {
        long wallStart = System.currentTimeMillis();
        long monotonicStart = System.nanoTime();
        lossReason = "the server closed the stream";
        while (isWanted() && !connection.isOver()) {
            var message = connection.poll(POLL_INTERVAL);
            if (message.isPresent()) {
                handle(message.get());
            } else if (connection.silence().compareTo(maxSilence) > 0) {
                lossReason = "nothing came for " + maxSilence.toSeconds() + " s";
                return;
            }
            long jump =
                    System.currentTimeMillis()
                            - wallStart
                            - (System.nanoTime() - monotonicStart) / 1_000_000;
            if (jump > MIN_CLOCK_JUMP.toMillis()) {
                lossReason = "the machine slept";
                return;
            }
        }
    }

    private void handle(SseMessage message) {
        switch (message.event()) {
            case "ready" -> {
                listener.onReady(wasOpen);
                wasOpen = true;
            }
            case "event" -> handOn(message.data());
            case "filtered" -> handOnFiltered(message.data());
            case "gap" -> listener.onGap(reason(message));
            case "bye" -> lossReason = "the server said " + reason(message);
            default -> {
                // A heartbeat, or what a newer server sends.
            }
        }
        if (!message.id().isEmpty()) {
            cursor = message.id();
            listener.onCursor(cursor);
        }
    }

    private void handOn(String data) {
        var event = StoredEvent.read(JsonTree.read(data));
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

    /// After an event's id some may come twice.
    private boolean isNew(StoredEvent event) {
        boolean isNew = seen.add(event.id());
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
