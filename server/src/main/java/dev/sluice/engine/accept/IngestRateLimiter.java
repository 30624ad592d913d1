package dev.sluice.engine.accept;

import dev.sluice.account.plan.MinuteWindow;
import dev.sluice.account.plan.Plan;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.loop.Loop;

import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/// Limits how many requests to a source are accepted in each clock minute (from second 0 to second
/// 59). The plan of the source's workspace sets the limit.
///
/// Each node counts its own requests. Once a second, a round exchanges the counts with the other
/// nodes through the unlogged table `ingest_use`. A single node enforces the limit exactly. Several
/// nodes together may exceed the limit, normally by at most the number of requests that they accept
/// in a second or two. Thread-safe.
public final class IngestRateLimiter implements Loop.Step {

    /// The number of requests to one source that were accepted in one minute.
    ///
    /// @param minute the minute, as the number of minutes since 1970
    /// @param own the number of requests counted by this node
    /// @param others the number of requests counted by all other nodes, as of the last exchange
    /// @param isExceeded whether the newest request exceeded the limit
    private record FixedWindow(long minute, int own, int others, boolean isExceeded) {

        static final FixedWindow EMPTY = new FixedWindow(-1, 0, 0, false);

        FixedWindow afterRequest(long now, int limit) {
            var window = now == minute ? this : new FixedWindow(now, 0, 0, false);
            return (long) window.own + window.others >= limit
                    ? new FixedWindow(now, window.own, window.others, true)
                    : new FixedWindow(now, window.own + 1, window.others, false);
        }

        FixedWindow withOthers(int counted) {
            return new FixedWindow(minute, own, counted, isExceeded);
        }
    }

    private final Db db;
    private final Function<WorkspaceId, Plan.PlanLimits> limits;
    private final UUID node;
    private final InstantSource clock;

    private final ConcurrentHashMap<SourceId, FixedWindow> windows = new ConcurrentHashMap<>();

    /// The counts that this node last published for `publishedMinute`. Used only by the thread that
    /// runs the rounds.
    private final Map<SourceId, Integer> publishedCounts = new HashMap<>();

    private long publishedMinute;

    /// @param node the id of this process
    public IngestRateLimiter(
            Db db, Function<WorkspaceId, Plan.PlanLimits> limits, UUID node, InstantSource clock) {
        this.db = db;
        this.limits = limits;
        this.node = node;
        this.clock = clock;
    }

    /// Counts one request; does nothing if the workspace's plan sets no limit.
    ///
    /// @throws ApiException 429 if the source has reached its limit for this minute; the request is
    ///   then not counted
    void acquire(Source source) {
        var limit = limits.apply(source.workspace()).ingestPerMinutePerSource();
        if (limit.isEmpty()) {
            return;
        }
        var now = clock.instant();
        var window =
                windows.compute(
                        source.id(),
                        (_, before) ->
                                Objects.requireNonNullElse(before, FixedWindow.EMPTY)
                                        .afterRequest(MinuteWindow.number(now), limit.getAsInt()));
        if (window.isExceeded()) {
            throw refusal(limit.getAsInt(), now);
        }
    }

    private static ApiException refusal(int limit, Instant now) {
        int wait = MinuteWindow.secondsLeft(now);
        return new ApiException(
                        ApiErrorCode.RATE_LIMITED,
                        "The source takes "
                                + limit
                                + " requests a minute. Nothing was stored; send the event again in "
                                + wait
                                + " s.")
                .withHeader(new Header("Retry-After", Integer.toString(wait)));
    }

    @Override
    public boolean run() {
        long minute = MinuteWindow.number(clock.instant());
        windows.values().removeIf(window -> window.minute() < minute);
        var own = new HashMap<SourceId, Integer>();
        windows.forEach((source, window) -> {
            if (window.minute() == minute) {
                own.put(source, window.own());
            }
        });
        if (!own.isEmpty()) {
            syncWithNodes(minute, own);
        }
        return false;
    }

    private void syncWithNodes(long minute, Map<SourceId, Integer> own) {
        boolean isNewMinute = minute != publishedMinute;
        if (isNewMinute) {
            publishedCounts.clear();
            publishedMinute = minute;
        }
        var changed = new HashMap<>(own);
        changed.entrySet()
                .removeIf(entry -> entry.getValue().equals(publishedCounts.get(entry.getKey())));
        var others =
                db.call(tx -> {
                    if (isNewMinute) {
                        IngestUseStore.deleteBefore(tx, minute);
                    }
                    IngestUseStore.save(tx, minute, node, changed);
                    return IngestUseStore.countsOfOthers(tx, minute, node);
                });
        publishedCounts.putAll(own);
        others.forEach((source, n) ->
                windows.computeIfPresent(
                        source,
                        (_, window) -> window.minute() == minute ? window.withOthers(n) : window));
    }
}
