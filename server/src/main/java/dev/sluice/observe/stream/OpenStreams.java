package dev.sluice.observe.stream;

import dev.sluice.account.access.Caller;
import dev.sluice.account.access.CallerQueries;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.observe.feed.StreamSelection;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.loop.Loop;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Tracks the open streams of this node. Limits their number by workspace. Ends streams whose
/// caller lost access, or whose source or connection was deleted. Thread-safe.
public final class OpenStreams implements Loop.Step, AutoCloseable {

    public static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

    /// The `Retry-After` of a request that is refused because too many streams are open, in
    /// seconds.
    private static final String RETRY_AFTER_SECONDS = "5";

    private final Db db;
    private final ConfigurationCache configuration;
    private final InstantSource clock;
    private final Set<StreamLease> open = ConcurrentHashMap.newKeySet();
    private final Map<WorkspaceId, Integer> counts = new ConcurrentHashMap<>();
    private volatile boolean isClosed;

    public OpenStreams(Db db, ConfigurationCache configuration, InstantSource clock) {
        this.db = db;
        this.configuration = configuration;
        this.clock = clock;
    }

    /// Registers a new stream of the caller's workspace.
    ///
    /// @param limit the maximum number of streams of the workspace on this node
    /// @throws ApiException 429 if the limit is reached, 503 if the server is stopping
    StreamLease lease(Caller caller, StreamSelection selection, OptionalInt limit) {
        var workspace = caller.workspace();
        int taken = counts.merge(workspace, 1, Integer::sum);
        if (limit.isPresent() && taken > limit.getAsInt()) {
            release(workspace);
            throw tooMany(limit.getAsInt());
        }
        var lease = new StreamLease(this, caller, selection);
        open.add(lease);
        if (isClosed) {
            lease.close();
            throw new ApiException(ApiErrorCode.UNAVAILABLE, "The server is stopping. Try again.")
                    .withHeader(new Header("Retry-After", "1"));
        }
        return lease;
    }

    /// Returns how many streams of the workspace are open on this node.
    public long count(WorkspaceId workspace) {
        return counts.getOrDefault(workspace, 0);
    }

    private static ApiException tooMany(int limit) {
        return new ApiException(
                        ApiErrorCode.STREAM_LIMIT_REACHED,
                        "The workspace's plan allows "
                                + limit
                                + (limit == 1 ? " stream" : " streams")
                                + " at a time. Close another one, or choose a larger plan.")
                .withHeader(new Header("Retry-After", RETRY_AFTER_SECONDS));
    }

    void remove(StreamLease lease) {
        if (open.remove(lease)) {
            release(lease.caller().workspace());
        }
    }

    private void release(WorkspaceId workspace) {
        counts.computeIfPresent(workspace, (_, count) -> count == 1 ? null : count - 1);
    }

    @Override
    public boolean run() {
        if (open.isEmpty()) {
            return false;
        }
        for (var lease : open) {
            var selection = lease.selection();
            if (selection.only().stream().anyMatch(id -> configuration.source(id).isEmpty())) {
                lease.end(StreamEnd.SOURCE_GONE);
            }
            if (selection
                    .connection()
                    .filter(id -> configuration.route(id).isEmpty())
                    .isPresent()) {
                lease.end(StreamEnd.CONNECTION_GONE);
            }
        }
        var callers = new HashSet<Caller>();
        open.forEach(lease -> callers.add(lease.caller()));
        var valid = db.call(tx -> CallerQueries.stillValid(tx, callers, clock.instant()));
        for (var lease : open) {
            if (callers.contains(lease.caller()) && !valid.contains(lease.caller())) {
                lease.end(StreamEnd.ACCESS_ENDED);
            }
        }
        return false;
    }

    /// Ends all streams, and refuses new ones.
    @Override
    public void close() {
        isClosed = true;
        open.forEach(lease -> lease.end(StreamEnd.SERVER_STOPPING));
    }
}
