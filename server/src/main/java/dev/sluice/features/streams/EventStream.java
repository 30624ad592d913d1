package dev.sluice.features.streams;

import dev.sluice.account.plan.Retention;
import dev.sluice.engine.RequestPreview;
import dev.sluice.features.streams.StreamWorkLimiter.StreamTurn;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.http.ApiErrorCode;
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
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// One open live stream, which writes events and outcomes to its client in the order that
/// [StreamCursor] describes.
///
/// The stream first reads the events between its cursor and the snapshot at which it joined the
/// [StreamFeed], and then takes events from the feed. If the client is too slow for the feed, the
/// stream joins the feed again and reads what it missed. The stream runs on the request's virtual
/// thread.
final class EventStream implements StreamBody {

    static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(15);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(250);

    /// How long a stream waits for a database that is not responding, or for a permit to read or to
    /// prepare messages. After that time, the stream ends, so that its client can connect to
    /// another node.
    private static final Duration OUTAGE_TIMEOUT = Duration.ofMinutes(1);

    /// How many times in a row the stream may lose its database connection while catching up. After
    /// that, the stream ends, because the read itself may be what breaks the connection.
    private static final int MAX_LOST_READS = 3;

    /// How many pages a stream that has fallen behind reads in one turn. Until its turn ends, it
    /// takes precedence over streams of the same workspace whose turns are newer, so that the
    /// streams catch up one after another. If each turn ended after one page and there were many
    /// streams, none of them would ever catch up with a busy source.
    private static final int MAX_PAGES_OF_TURN = 200;

    private static final int MAX_FRAME_BYTES = 64 * 1024;

    /// How long a stream may prepare messages before it must let another stream do so.
    private static final Duration MAX_PREPARING_TIME = Duration.ofMillis(10);

    /// The objects that all streams of this node share.
    ///
    /// @param reads the limiter for database reads by streams that have fallen behind
    /// @param preparing the limiter for preparing messages
    record StreamEnvironment(
            StreamReader reader,
            StreamFeed feed,
            ConfigurationCache configuration,
            RequestPreview preview,
            StreamWorkLimiter reads,
            StreamWorkLimiter preparing,
            InstantSource clock) {}

    private final StreamEnvironment environment;
    private final StreamSelection selection;
    private final StreamLease lease;
    private final Supplier<Retention> retention;
    private final boolean isResumed;
    private final Optional<String> gap;
    private final boolean withPing;
    private final StreamFrames frames = new StreamFrames();
    private final StreamView view;
    private FeedSubscription subscription;
    private StreamCursor cursor;
    private long lastWriteNanos;

    /// The stream's turn to prepare messages, kept for the stream's entire life. Older turns take
    /// precedence, so if a workspace has too many streams, the older ones still keep up with their
    /// sources.
    private final StreamTurn preparingTurn;

    /// The stream's turn to read from the database. It ends when the stream has caught up or has
    /// read [#MAX_PAGES_OF_TURN] pages.
    private StreamTurn readTurn;

    private int pagesLeftOfTurn = MAX_PAGES_OF_TURN;

    /// When the first event of the round in [#roundRead] arrived; empty if the round has none. This
    /// time is read only once per round, because the read takes longer the further the stream has
    /// fallen behind.
    private Optional<Instant> eventsFrom = Optional.empty();

    /// A cursor within the round that was last read from the database.
    private Optional<StreamCursor> roundRead = Optional.empty();

    private EventStream(
            StreamEnvironment environment,
            StreamSelection selection,
            StreamLease lease,
            Supplier<Retention> retention,
            FeedSubscription subscription,
            StreamStart start,
            boolean withPing) {
        this.environment = environment;
        this.selection = selection;
        this.lease = lease;
        this.retention = retention;
        this.subscription = subscription;
        this.preparingTurn = environment.preparing().newTurn(selection.workspace());
        this.readTurn = environment.reads().newTurn(selection.workspace());
        this.cursor =
                start.cursor()
                        .orElseGet(() ->
                                StreamCursor.at(
                                        environment.reader().databaseName(),
                                        subscription.joinedAt()));
        this.view = new StreamView(selection, environment.configuration(), environment.preview());
        this.isResumed = start.cursor().isPresent();
        this.gap = start.gap();
        this.withPing = withPing;
    }

    /// Creates a stream and joins the feed. The stream sends everything that is committed after
    /// this call starts.
    ///
    /// @param withPing whether heartbeats are sent as messages, which browsers pass to scripts,
    ///   instead of as comments, which browsers ignore
    /// @throws ApiException 503 if the database does not respond
    static EventStream join(
            StreamEnvironment environment,
            StreamSelection selection,
            StreamLease lease,
            Supplier<Retention> retention,
            StreamStart start,
            boolean withPing)
            throws InterruptedException {
        return new EventStream(
                environment,
                selection,
                lease,
                retention,
                environment.feed().join(selection),
                start,
                withPing);
    }

    @Override
    public void writeTo(StreamOutput output) throws IOException, InterruptedException {
        try (lease) {
            writeStart(output);
            int lostReads = 0;
            while (isWanted(output)) {
                try {
                    catchUp(output);
                    lostReads = 0;
                    follow(output);
                } catch (DbException e) {
                    lostReads++;
                    if (!e.isConnectionLost() || lostReads > MAX_LOST_READS) {
                        throw e;
                    }
                }
                joinAgain(output);
            }
            writeEnd(output);
        } catch (DbException | ApiException e) {
            lease.end(StreamEnd.UNAVAILABLE);
            writeEnd(output);
        } finally {
            environment.feed().leave(subscription);
        }
    }

    /// Joins the feed again. If the database does not respond, keeps trying for [#OUTAGE_TIMEOUT],
    /// so that a short outage does not end the stream.
    ///
    /// @throws ApiException 503 if the database does not respond within this time
    private void joinAgain(StreamOutput output) throws IOException, InterruptedException {
        long begunNanos = System.nanoTime();
        boolean isJoined = false;
        while (!isJoined && isWanted(output)) {
            environment.feed().leave(subscription);
            try {
                subscription = environment.feed().join(selection);
                endIfBroken();
                isJoined = true;
            } catch (DbException | ApiException e) {
                boolean isOutage =
                        !(e instanceof DbException failed) || failed.failure().isPassing();
                if (!isOutage || System.nanoTime() - begunNanos > OUTAGE_TIMEOUT.toNanos()) {
                    throw e;
                }
                writeHeartbeatIfDue(output);
            }
        }
    }

    /// Ends the stream if it cannot continue without a gap, for example because the database was
    /// restored to an earlier state. The client then reconnects, and gets a `gap` message.
    private void endIfBroken() {
        var cutoff = retention.get().expiryCutoff(environment.clock().instant());
        var start = environment.reader().resume(cursor, cutoff, selection.withDeliveries());
        if (start.gap().isPresent()) {
            lease.end(StreamEnd.UNAVAILABLE);
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
        frames.retry().event("ready", cursor.text(), Json.bytes(ready));
        gap.ifPresent(reason -> frames.event("gap", new JsonObject().put("reason", reason)));
        flush(output);
    }

    private void writeEnd(StreamOutput output) throws IOException, InterruptedException {
        if (lease.ended().isPresent()) {
            frames.event("bye", new JsonObject().put("reason", lease.ended().get().text()));
            output.write(frames.take(), () -> false);
        }
    }

    /// Reads everything up to the snapshot at which the stream joined the feed, and writes it to
    /// the client.
    private void catchUp(StreamOutput output) throws IOException, InterruptedException {
        var end = subscription.joinedAt();
        var goal = StreamCursor.at(cursor.database(), end);
        while (!cursor.equals(goal) && isWanted(output)) {
            var start = cursor.towards(end);
            if (start.isBehindEvents() && !selection.withDeliveries()) {
                cursor = start.endOfRound(); // no outcomes to read
                continue;
            }
            var permit = awaitRead(output);
            if (permit.isPresent()) {
                var page = readPage(permit.get(), start);
                write(output, start, selection.wanted(page.items()), page.next());
                writeHeartbeatIfDue(output); // the page may have had no item for this stream
            }
        }
    }

    private Optional<StreamWorkLimiter.WorkPermit> awaitRead(StreamOutput output)
            throws IOException, InterruptedException {
        if (pagesLeftOfTurn == 0) {
            readTurn = environment.reads().newTurn(selection.workspace());
            pagesLeftOfTurn = MAX_PAGES_OF_TURN;
        }
        pagesLeftOfTurn--;
        return await(environment.reads(), readTurn, output);
    }

    /// Waits for a permit. Returns empty if the stream is no longer wanted.
    ///
    /// @throws ApiException 503 if no permit becomes free within [#OUTAGE_TIMEOUT]
    private Optional<StreamWorkLimiter.WorkPermit> await(
            StreamWorkLimiter limiter, StreamTurn turn, StreamOutput output)
            throws IOException, InterruptedException {
        long begunNanos = System.nanoTime();
        Optional<StreamWorkLimiter.WorkPermit> permit = Optional.empty();
        while (permit.isEmpty() && isWanted(output)) {
            if (System.nanoTime() - begunNanos > OUTAGE_TIMEOUT.toNanos()) {
                throw new ApiException(
                        ApiErrorCode.UNAVAILABLE, "Too many streams are behind. Try again.");
            }
            permit = limiter.acquire(turn, begunNanos, POLL_INTERVAL);
            if (permit.isEmpty()) {
                writeHeartbeatIfDue(output);
            }
        }
        return permit;
    }

    private StreamReader.StreamPage readPage(
            StreamWorkLimiter.WorkPermit permit, StreamCursor start) {
        try (permit) {
            return readPageNow(start);
        }
    }

    private StreamReader.StreamPage readPageNow(StreamCursor start) {
        var reader = environment.reader();
        if (start.isBehindEvents()) {
            return reader.outcomes(sources(), start);
        }
        if (roundRead.filter(start::isInSameRound).isEmpty()) {
            eventsFrom = reader.position(start.seen()).eventsFrom();
            roundRead = Optional.of(start);
        }
        if (eventsFrom.isEmpty()) {
            return new StreamReader.StreamPage(List.of(), start.endOfEvents());
        }
        Instant cutoff = retention.get().expiryCutoff(environment.clock().instant()).plusMillis(1);
        Instant from = eventsFrom.get();
        return reader.events(
                sources(),
                start,
                from.isBefore(cutoff) ? cutoff : from,
                _ -> selection.needsPayload());
    }

    private Set<SourceId> sources() {
        Map<SourceId, ?> all = environment.reader().sources(Set.of(selection.workspace()));
        return all.keySet().stream()
                .filter(selection::includes)
                .collect(Collectors.toUnmodifiableSet());
    }

    /// Writes heartbeats and the items from the feed until the stream ends or its queue overflows.
    private void follow(StreamOutput output) throws IOException, InterruptedException {
        while (isWanted(output)) {
            var part = subscription.poll(POLL_INTERVAL);
            if (part.isPresent()) {
                pagesLeftOfTurn = 0; // the stream has caught up
                write(output, part.get().start(), part.get().items(), part.get().next());
            } else if (subscription.hasOverflowed()) {
                return;
            }
            writeHeartbeatIfDue(output);
        }
    }

    private void writeHeartbeatIfDue(StreamOutput output) throws IOException, InterruptedException {
        if (System.nanoTime() - lastWriteNanos >= HEARTBEAT_INTERVAL.toNanos()) {
            if (withPing) {
                frames.event("ping", cursor.text(), Json.bytes(new JsonObject()));
            } else {
                frames.heartbeat(cursor);
            }
            flush(output);
        }
    }

    private void write(
            StreamOutput output,
            StreamCursor start,
            List<? extends StreamItem> items,
            StreamCursor next)
            throws IOException, InterruptedException {
        int shown = 0;
        while (shown < items.size()) {
            var permit = await(environment.preparing(), preparingTurn, output);
            if (permit.isEmpty()) {
                return;
            }
            shown = show(permit.get(), start, items, shown);
            flush(output);
        }
        cursor = next;
    }

    /// Prepares messages about the items, starting at index `from`. Stops once there is enough for
    /// one write, or after [#MAX_PREPARING_TIME]. Returns the index of the first item that was not
    /// prepared.
    private int show(
            StreamWorkLimiter.WorkPermit permit,
            StreamCursor start,
            List<? extends StreamItem> items,
            int from) {
        long begunNanos = System.nanoTime();
        int next = from;
        try (permit) {
            do {
                var item = items.get(next++);
                view.show(item, start, frames);
                cursor = start.after(item.id());
            } while (next < items.size()
                    && frames.size() < MAX_FRAME_BYTES
                    && System.nanoTime() - begunNanos < MAX_PREPARING_TIME.toNanos());
            if (!selection.isChosenByPayload()) {
                permit.estimateWork(frames.estimatedNanos());
            }
        }
        return next;
    }

    private void flush(StreamOutput output) throws IOException, InterruptedException {
        if (frames.size() > 0) {
            output.write(frames.take(), lease::isOpen);
            lastWriteNanos = System.nanoTime();
        }
    }
}
