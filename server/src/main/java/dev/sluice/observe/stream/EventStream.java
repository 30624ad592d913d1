package dev.sluice.observe.stream;

import dev.sluice.account.plan.Retention;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.StreamBody;
import dev.sluice.platform.http.StreamOutput;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// One open stream: writes events to its client, in the order of their commits.
///
/// It first reads the events between its cursor and the moment in which it joined the feed, and
/// then takes what the feed hands on. If the client is too slow for the feed, it begins again. It
/// runs on the request's virtual thread.
final class EventStream implements StreamBody {

    static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(15);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(250);
    private static final int MAX_FRAME_BYTES = 64 * 1024;

    /// What all streams of this node share.
    ///
    /// @param reads permits to read the database, so that streams that are behind leave it room
    record StreamEnvironment(
            StreamReader reader, StreamFeed feed, Semaphore reads, InstantSource clock) {}

    private final StreamEnvironment environment;
    private final StreamSelection selection;
    private final StreamLease lease;
    private final Supplier<Retention> retention;
    private final boolean isResumed;
    private final Optional<String> gap;
    private final StreamFrames frames = new StreamFrames();
    private FeedSubscription subscription;
    private StreamCursor cursor;
    private long lastWriteNanos;

    private EventStream(
            StreamEnvironment environment,
            StreamSelection selection,
            StreamLease lease,
            Supplier<Retention> retention,
            FeedSubscription subscription,
            StreamStart start) {
        this.environment = environment;
        this.selection = selection;
        this.lease = lease;
        this.retention = retention;
        this.subscription = subscription;
        this.cursor =
                start.cursor()
                        .orElseGet(() ->
                                StreamCursor.at(
                                        environment.reader().databaseName(),
                                        subscription.joinedAt()));
        this.isResumed = start.cursor().isPresent();
        this.gap = start.gap();
    }

    /// Joins the feed. Everything that is committed from now on will be sent.
    ///
    /// @throws ApiException 503 if the database does not answer
    static EventStream join(
            StreamEnvironment environment,
            StreamSelection selection,
            StreamLease lease,
            Supplier<Retention> retention,
            StreamStart start)
            throws InterruptedException {
        return new EventStream(
                environment,
                selection,
                lease,
                retention,
                environment.feed().join(selection),
                start);
    }

    @Override
    public void writeTo(StreamOutput output) throws IOException, InterruptedException {
        try (lease) {
            writeStart(output);
            while (isWanted(output)) {
                catchUp(output);
                follow(output);
                environment.feed().leave(subscription);
                if (isWanted(output)) {
                    subscription = environment.feed().join(selection);
                }
            }
            writeEnd(output);
        } catch (DbException | ApiException e) {
            lease.end(StreamEnd.UNAVAILABLE);
            writeEnd(output);
        } finally {
            environment.feed().leave(subscription);
        }
    }

    private boolean isWanted(StreamOutput output) {
        return lease.isOpen() && !output.isClientGone();
    }

    private void writeStart(StreamOutput output) throws IOException, InterruptedException {
        var ready =
                new JsonObject()
                        .put("server_time", environment.clock().instant())
                        .put("heartbeat_seconds", HEARTBEAT_INTERVAL.toSeconds())
                        .put("resumed", isResumed);
        frames.retry().event("ready", cursor, Json.bytes(ready));
        gap.ifPresent(reason -> frames.event("gap", new JsonObject().put("reason", reason)));
        flush(output);
    }

    private void writeEnd(StreamOutput output) throws IOException, InterruptedException {
        if (lease.ended().isPresent()) {
            frames.event("bye", new JsonObject().put("reason", lease.ended().get().text()));
            output.write(frames.take(), () -> false);
        }
    }

    /// Reads and writes everything up to the snapshot in which the subscription begins.
    private void catchUp(StreamOutput output) throws IOException, InterruptedException {
        var end = subscription.joinedAt();
        var goal = StreamCursor.at(cursor.database(), end);
        while (!cursor.equals(goal) && isWanted(output)) {
            var start = cursor.towards(end);
            var page = readPage(start);
            write(output, start, page.events(), page.next());
        }
    }

    private StreamReader.StreamPage readPage(StreamCursor start) throws InterruptedException {
        environment.reads().acquire();
        try {
            return readPageNow(start);
        } finally {
            environment.reads().release();
        }
    }

    private StreamReader.StreamPage readPageNow(StreamCursor start) {
        var reader = environment.reader();
        var position = reader.position(start.seen());
        if (position.eventsFrom().isEmpty()) {
            return new StreamReader.StreamPage(List.of(), start.endOfRound());
        }
        Instant cutoff = retention.get().expiryCutoff(environment.clock().instant()).plusMillis(1);
        Instant from = position.eventsFrom().get();
        return reader.page(
                sources(), start, from.isBefore(cutoff) ? cutoff : from, selection.needsPayload());
    }

    private Set<SourceId> sources() {
        Map<SourceId, ?> all = environment.reader().sources(Set.of(selection.workspace()));
        return all.keySet().stream()
                .filter(selection::includes)
                .collect(Collectors.toUnmodifiableSet());
    }

    /// Writes what the feed hands on, until the stream ends or misses something.
    private void follow(StreamOutput output) throws IOException, InterruptedException {
        while (isWanted(output)) {
            var part = subscription.poll(POLL_INTERVAL);
            if (part.isPresent()) {
                write(output, part.get().start(), part.get().events(), part.get().next());
            } else if (subscription.isOverflown()) {
                return;
            }
            if (System.nanoTime() - lastWriteNanos >= HEARTBEAT_INTERVAL.toNanos()) {
                frames.heartbeat(cursor);
                flush(output);
            }
        }
    }

    private void write(
            StreamOutput output, StreamCursor start, List<StreamEvent> events, StreamCursor next)
            throws IOException, InterruptedException {
        for (var event : events) {
            cursor = start.after(event.id());
            frames.event("event", cursor, selection.isFull() ? event.fullJson() : event.tailJson());
            if (frames.size() >= MAX_FRAME_BYTES) {
                flush(output);
            }
        }
        cursor = next;
        flush(output);
    }

    private void flush(StreamOutput output) throws IOException, InterruptedException {
        if (frames.size() > 0) {
            output.write(frames.take(), lease::isOpen);
            lastWriteNanos = System.nanoTime();
        }
    }
}
