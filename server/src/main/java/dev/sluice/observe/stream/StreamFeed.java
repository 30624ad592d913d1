package dev.sluice.observe.stream;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.loop.Loop;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/// Reads new events once for all streams of this node.
///
/// Each round takes a snapshot of the database and hands on what became visible since the last one.
/// A round without streams does nothing. After a round that fails, each stream reads for itself.
public final class StreamFeed implements Loop.Step {

    public static final Duration ROUND_INTERVAL = Duration.ofMillis(100);
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(5);

    private record JoinRequest(
            FeedSubscription subscription, CompletableFuture<FeedSubscription> joined) {}

    private final StreamReader reader;
    private final ConcurrentLinkedQueue<JoinRequest> joining = new ConcurrentLinkedQueue<>();
    private final List<FeedSubscription> subscriptions = new CopyOnWriteArrayList<>();
    private volatile Runnable wake = () -> {};

    /// The end of the last round that was handed on; null before the first stream. Used by the
    /// feed's thread only.
    private @Nullable TxSnapshot seen;

    public StreamFeed(StreamReader reader) {
        this.reader = reader;
    }

    public void onWakeNeeded(Runnable wakeFeed) {
        wake = wakeFeed;
    }

    /// Adds a stream. Returns after a round that began after this call, so everything that anybody
    /// saw before this call is before [FeedSubscription#joinedAt].
    ///
    /// @throws ApiException 503 if the database does not answer
    FeedSubscription join(StreamSelection selection) throws InterruptedException {
        var request = new JoinRequest(new FeedSubscription(selection), new CompletableFuture<>());
        joining.add(request);
        wake.run();
        try {
            return request.joined().get(JOIN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            joining.remove(request);
            leave(request.subscription());
            throw new ApiException(
                            ApiErrorCode.UNAVAILABLE, "The database did not answer. Try again.")
                    .withHeader(new Header("Retry-After", "1"));
        }
    }

    void leave(FeedSubscription subscription) {
        subscriptions.remove(subscription);
    }

    @Override
    public boolean run() {
        var joiners = new ArrayList<JoinRequest>();
        for (@Nullable JoinRequest each = joining.poll(); each != null; each = joining.poll()) {
            joiners.add(each);
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
        var position = reader.position(seen == null ? TxSnapshot.before(Long.MAX_VALUE) : seen);
        var end = position.snapshot();
        if (seen != null) {
            try {
                handOn(seen, position);
            } catch (RuntimeException | Error e) {
                // Some streams have a part of this round. All know where they are.
                subscriptions.forEach(FeedSubscription::overflow);
                subscriptions.clear();
                throw e;
            }
        }
        seen = end;
        for (var joiner : joiners) {
            joiner.subscription().joinAt(end);
            subscriptions.add(joiner.subscription());
            joiner.joined().complete(joiner.subscription());
        }
    }

    private void handOn(TxSnapshot since, StreamQueries.FeedPosition position) {
        var start = StreamCursor.at(reader.databaseName(), since);
        if (position.eventsFrom().isEmpty()) {
            var end = StreamCursor.at(reader.databaseName(), position.snapshot());
            var nothing = new FeedSubscription.RoundPart(start, List.of(), end);
            subscriptions.forEach(subscription -> offer(subscription, nothing));
            return;
        }
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
        boolean withPayload =
                subscriptions.stream().anyMatch(each -> each.selection().needsPayload());
        var cursor = start.towards(position.snapshot());
        do {
            var page =
                    reader.page(sources.keySet(), cursor, position.eventsFrom().get(), withPayload);
            for (var subscription : subscriptions) {
                var wanted =
                        page.events().stream()
                                .filter(event -> {
                                    SourceId source = event.summary().source();
                                    return subscription.wants(source, sources.get(source));
                                })
                                .toList();
                offer(subscription, new FeedSubscription.RoundPart(cursor, wanted, page.next()));
            }
            cursor = page.next();
        } while (!cursor.isBetweenRounds());
    }

    private void offer(FeedSubscription subscription, FeedSubscription.RoundPart part) {
        if (!subscription.offer(part)) {
            leave(subscription);
        }
    }
}
