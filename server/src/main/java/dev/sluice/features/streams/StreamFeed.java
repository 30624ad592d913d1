package dev.sluice.features.streams;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.loop.Activity;
import dev.sluice.platform.loop.FailureStreak;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/// Reads new events and delivery outcomes from the database, once for all of this node's streams.
///
/// Each round takes a snapshot of the database and gives the streams the events and outcomes that
/// have become visible since the previous snapshot. A round does nothing if no stream is open or
/// joining. The feed drops its streams if a round fails while it gives them items, or if the
/// database has not responded for a while. Each stream then reads the missed items itself.
public final class StreamFeed implements Loop.Step {

    public static final Duration ROUND_INTERVAL = Duration.ofMillis(100);

    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(5);

    /// How long the database may fail to respond before the feed drops its streams. After a shorter
    /// outage, the feed continues where it left off.
    private static final Duration OUTAGE_TIMEOUT = Duration.ofSeconds(5);

    /// The maximum memory, in bytes, that the items in the queues of this node's streams may use in
    /// total.
    private static final long MAX_QUEUED_BYTES =
            Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 16);

    private record JoinRequest(
            FeedSubscription subscription, CompletableFuture<FeedSubscription> joined) {}

    private final StreamReader reader;
    private final FeedMemory memory = new FeedMemory(MAX_QUEUED_BYTES);
    private final ConcurrentLinkedQueue<JoinRequest> joining = new ConcurrentLinkedQueue<>();
    private final List<FeedSubscription> subscriptions = new CopyOnWriteArrayList<>();
    private final Wake wake;

    /// The snapshot at the end of the last round, or null while there are no streams. Used only by
    /// the feed's thread.
    private @Nullable TxSnapshot seen;

    /// Counts consecutive failures to read the position.
    private final FailureStreak positionReads = new FailureStreak(ROUND_INTERVAL);

    /// @param wake wakes the loop that runs this feed's rounds
    public StreamFeed(StreamReader reader, Wake wake) {
        this.reader = reader;
        this.wake = wake;
    }

    /// Returns how long the next round may wait if no stream joins.
    public Duration rest() {
        return subscriptions.isEmpty() && joining.isEmpty()
                ? Activity.MAX_IDLE_INTERVAL
                : Duration.ZERO;
    }

    /// Adds a stream. Waits for the end of a round that starts after this call, so
    /// [FeedSubscription#joinedAt] sees everything that was committed before this call.
    ///
    /// @throws ApiException 503 if the database does not respond
    public FeedSubscription join(StreamSelection selection) throws InterruptedException {
        var request =
                new JoinRequest(new FeedSubscription(selection, memory), new CompletableFuture<>());
        joining.add(request);
        wake.wake();
        try {
            return request.joined().get(JOIN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            joining.remove(request);
            request.joined().cancel(false);
            leave(request.subscription());
            throw new ApiException(
                            ApiErrorCode.UNAVAILABLE, "The database did not answer. Try again.")
                    .withHeader(new Header("Retry-After", "1"));
        }
    }

    public void leave(FeedSubscription subscription) {
        subscriptions.remove(subscription);
        subscription.overflow();
    }

    @Override
    public boolean run() {
        var joiners = new ArrayList<JoinRequest>();
        for (@Nullable JoinRequest each = joining.poll(); each != null; each = joining.poll()) {
            if (!each.joined().isDone()) { // otherwise, its stream has stopped waiting
                joiners.add(each);
            }
        }
        try {
            round(joiners);
        } catch (RuntimeException | Error e) {
            joining.addAll(joiners);
            throw e;
        }
        return false;
    }

    private void round(List<JoinRequest> joiners) {
        if (subscriptions.isEmpty()) {
            seen = null;
        }
        if (seen == null && joiners.isEmpty()) {
            return;
        }
        var position = readPosition();
        var end = position.snapshot();
        if (seen != null) {
            try {
                handOn(seen, position);
            } catch (RuntimeException | Error e) {
                // Some streams may already have received part of this round, so the feed cannot
                // repeat it.
                dropAll();
                throw e;
            }
        }
        seen = end;
        for (var joiner : joiners) {
            joiner.subscription().joinAt(end);
            subscriptions.add(joiner.subscription());
            if (!joiner.joined().complete(joiner.subscription())) {
                leave(joiner.subscription()); // its stream has stopped waiting
            }
        }
    }

    /// Reads the current position from the database. A short outage does not make the feed drop its
    /// streams. They have not received any items in this round, so the next round can continue from
    /// `seen`.
    private StreamQueries.FeedPosition readPosition() {
        try {
            var position = reader.position(seen == null ? TxSnapshot.before(Long.MAX_VALUE) : seen);
            positionReads.succeeded();
            return position;
        } catch (RuntimeException | Error e) {
            positionReads.failed();
            if (positionReads.hasLasted(OUTAGE_TIMEOUT)) {
                dropAll();
            }
            throw e;
        }
    }

    /// Drops all streams. Each of them joins again, checks that it can continue without a gap, and
    /// reads what it missed from the database, starting at its own cursor.
    private void dropAll() {
        subscriptions.forEach(FeedSubscription::overflow);
        subscriptions.clear();
    }

    private void handOn(TxSnapshot since, StreamQueries.FeedPosition position) {
        var start = StreamCursor.at(reader.databaseName(), since).towards(position.snapshot());
        boolean withDeliveries =
                subscriptions.stream().anyMatch(each -> each.selection().withDeliveries());
        if (position.eventsFrom().isEmpty() && !withDeliveries) {
            var nothing = new FeedSubscription.RoundPart(start, List.of(), start.endOfRound());
            subscriptions.forEach(subscription ->
                    offer(subscription, nothing, new FeedMemory.FeedPage(List.of())));
            return;
        }
        var sources = wantedSources();
        if (position.eventsFrom().isPresent()) {
            handOnEvents(start, position.eventsFrom().get(), sources);
        }
        handOnOutcomes(start.endOfEvents(), withDeliveries, sources);
    }

    private Map<SourceId, WorkspaceId> wantedSources() {
        var workspaces =
                subscriptions.stream()
                        .map(subscription -> subscription.selection().workspace())
                        .collect(Collectors.toSet());
        var sources = new HashMap<>(reader.sources(workspaces));
        sources.entrySet()
                .removeIf(source ->
                        subscriptions.stream()
                                .noneMatch(subscription ->
                                        subscription.wants(source.getKey(), source.getValue())));
        return sources;
    }

    private void handOnEvents(
            StreamCursor start, Instant from, Map<SourceId, WorkspaceId> sources) {
        var withPayload = sourcesWithPayload(sources);
        var cursor = start;
        while (!cursor.isBehindEvents()) {
            var page = reader.events(sources.keySet(), cursor, from, withPayload::contains);
            var feedPage = new FeedMemory.FeedPage(page.items());
            var parts = new PageParts(cursor, page, sources);
            for (var subscription : subscriptions) {
                var part = parts.of(subscription);
                if (!part.items().isEmpty()) {
                    offer(subscription, part, feedPage);
                }
            }
            makeRoom();
            cursor = page.next();
        }
    }

    /// Returns the sources whose payloads at least one stream needs.
    private Set<SourceId> sourcesWithPayload(Map<SourceId, WorkspaceId> sources) {
        var needing =
                subscriptions.stream().filter(each -> each.selection().needsPayload()).toList();
        return sources.entrySet().stream()
                .filter(source ->
                        needing.stream()
                                .anyMatch(each -> each.wants(source.getKey(), source.getValue())))
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    /// The part that each stream gets of one page of items. Streams with the same selection share
    /// one part, so many streams of the same source cost the feed little more than a single stream.
    ///
    /// @param start the cursor before the page
    /// @param workspaces the workspace of each source in the page
    private record PageParts(
            StreamCursor start,
            StreamReader.StreamPage page,
            Map<SourceId, WorkspaceId> workspaces,
            Map<StreamSelection, FeedSubscription.RoundPart> parts) {

        PageParts(
                StreamCursor start,
                StreamReader.StreamPage page,
                Map<SourceId, WorkspaceId> workspaces) {
            this(start, page, workspaces, new HashMap<>());
        }

        FeedSubscription.RoundPart of(FeedSubscription subscription) {
            return parts.computeIfAbsent(
                    subscription.sharedItems(),
                    _ -> new FeedSubscription.RoundPart(start, wanted(subscription), page.next()));
        }

        /// Returns the items that this stream shows. The events come without their payloads if the
        /// stream does not need them.
        private List<? extends StreamItem> wanted(FeedSubscription subscription) {
            return page.items().stream()
                    .filter(item ->
                            switch (item) {
                                case StreamEvent event ->
                                        wants(subscription, event.summary().source());
                                case StreamOutcome outcome ->
                                        wants(subscription, outcome.source())
                                                && subscription.selection().includes(outcome);
                            })
                    .map(item ->
                            item instanceof StreamEvent event
                                            && !subscription.selection().needsPayload()
                                    ? event.withoutPayload()
                                    : item)
                    .toList();
        }

        private boolean wants(FeedSubscription subscription, SourceId source) {
            return subscription.wants(source, workspaces.get(source));
        }
    }

    /// Passes the outcomes to the streams that want them. Every stream also receives the cursor at
    /// the end of the round.
    private void handOnOutcomes(
            StreamCursor start, boolean withDeliveries, Map<SourceId, WorkspaceId> sources) {
        var cursor = start;
        do {
            var page =
                    withDeliveries
                            ? reader.outcomes(sources.keySet(), cursor)
                            : new StreamReader.StreamPage(List.of(), cursor.endOfRound());
            var feedPage = new FeedMemory.FeedPage(page.items());
            var parts = new PageParts(cursor, page, sources);
            for (var subscription : subscriptions) {
                offer(subscription, parts.of(subscription), feedPage);
            }
            makeRoom();
            cursor = page.next();
        } while (!cursor.isBetweenRounds());
    }

    private void offer(
            FeedSubscription subscription,
            FeedSubscription.RoundPart part,
            FeedMemory.FeedPage page) {
        if (!subscription.offer(part, page)) {
            leave(subscription);
        }
    }

    /// Drops the slowest streams and empties their queues until the items fit within the memory
    /// limit.
    private void makeRoom() {
        for (var oldest = memory.oldestIfFull(); oldest != null; oldest = memory.oldestIfFull()) {
            for (var subscription : subscriptions) {
                if (subscription.beginsWith(oldest)) {
                    leave(subscription);
                }
            }
            if (oldest == memory.oldestIfFull()) {
                return; // the stream with this page is already leaving
            }
        }
    }
}
