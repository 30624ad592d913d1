package dev.sluice.features.streams;

import dev.sluice.account.access.Caller;
import dev.sluice.account.access.CallerQueries;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Activity;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Tracks this node's open streams. Registers them in the database, so that each workspace's limit
/// applies across all nodes. Ends a stream if its caller has lost access, if its workspace is
/// suspended, if its source or connection was deleted, or if the workspace has more streams open
/// than its plan allows. Thread-safe.
///
/// Opening a stream requires the database. If the database fails later, open streams continue, and
/// the next round adds or removes the rows that the failed round could not.
public final class OpenStreams implements Loop.Step, AutoCloseable {

    public static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

    /// The value of the `Retry-After` header, in seconds, when a request is refused because too
    /// many streams are open.
    private static final String RETRY_AFTER_SECONDS = "5";

    private final Db db;
    private final ConfigurationCache configuration;
    private final Function<WorkspaceId, OptionalInt> limits;
    private final LongSupplier epoch;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final Activity activity;
    private final Set<StreamLease> open = ConcurrentHashMap.newKeySet();

    /// The streams that have ended but may still have a row in the database.
    private final Set<UUID> ended = ConcurrentHashMap.newKeySet();

    /// The epoch under which this node last removed the streams of dead nodes. Used only in [#run].
    private long cleanedUnder = -1;

    private final Wake wake;
    private volatile boolean isClosed;

    /// @param limits returns how many streams a workspace may have open across all nodes, or empty
    ///   if its plan has no limit
    /// @param epoch returns this node's current epoch, which changes after the node is declared
    ///   dead
    /// @param clock the clock that all nodes share
    /// @param activity its `mark` method is called in each round in which streams are open
    /// @param wake called when the next round should start soon
    public OpenStreams(
            Db db,
            ConfigurationCache configuration,
            Function<WorkspaceId, OptionalInt> limits,
            LongSupplier epoch,
            Uuid7 ids,
            InstantSource clock,
            Activity activity,
            Wake wake) {
        this.db = db;
        this.configuration = configuration;
        this.limits = limits;
        this.epoch = epoch;
        this.ids = ids;
        this.clock = clock;
        this.activity = activity;
        this.wake = wake;
    }

    /// Returns how long the next round may wait if no stream is opened.
    public Duration rest() {
        return open.isEmpty() && ended.isEmpty() ? Activity.MAX_IDLE_INTERVAL : Duration.ZERO;
    }

    /// Registers a new stream for the caller's workspace.
    ///
    /// @throws ApiException 429 if the limit is reached, 503 if the server is stopping
    /// @throws dev.sluice.platform.db.DbException if the database does not respond
    StreamLease lease(Caller caller, StreamSelection selection) {
        var limit = limits.apply(caller.workspace());
        long current = epoch.getAsLong();
        var lease = new StreamLease(this, ids.next(), caller, selection, clock.instant(), current);
        if (!add(lease.row(current), limit.orElse(Integer.MAX_VALUE))) {
            throw tooMany(limit.orElse(0));
        }
        open.add(lease);
        wake.wake();
        if (isClosed) {
            lease.close();
            throw new ApiException(ApiErrorCode.UNAVAILABLE, "The server is stopping. Try again.")
                    .withHeader(new Header("Retry-After", "1"));
        }
        return lease;
    }

    private boolean add(OpenStreamStore.OpenStream stream, int max) {
        try {
            return db.call(tx -> OpenStreamStore.add(tx, stream, max));
        } catch (RuntimeException e) {
            ended.add(stream.id()); // the row may exist even though the call failed
            wake.wake();
            throw e;
        }
    }

    /// Returns how many streams the workspace has open across all nodes.
    public static long count(Tx tx, WorkspaceId workspace) {
        return OpenStreamStore.count(tx, workspace);
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
            ended.add(lease.id());
            wake.wake();
        }
    }

    @Override
    public boolean run() {
        endThoseOfSuspended();
        endThoseOfDeleted();
        if (!open.isEmpty()) {
            activity.mark(); // the process is not idle while streams are open
            // This step comes before the next ones because they fail if the database is read-only.
            endThoseWithoutAccess();
        }
        removeEnded();
        if (!open.isEmpty()) {
            registerAgain();
            endThoseAboveLimit();
        }
        return false;
    }

    private void endThoseOfSuspended() {
        for (var lease : open) {
            if (configuration.isSuspended(lease.caller().workspace())) {
                lease.end(StreamEnd.WORKSPACE_SUSPENDED);
            }
        }
    }

    private void endThoseOfDeleted() {
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
    }

    private void removeEnded() {
        var removed = List.copyOf(ended);
        if (!removed.isEmpty()) {
            db.run(tx -> OpenStreamStore.remove(tx, removed));
            removed.forEach(ended::remove);
        }
    }

    /// Registers the streams under the node's new epoch if the node was declared dead. In the
    /// meantime, other nodes may have opened streams in place of these, so a workspace may then
    /// exceed its limit. Also removes the streams of dead nodes, once per epoch.
    private void registerAgain() {
        long current = epoch.getAsLong();
        var moved = open.stream().filter(lease -> !lease.isRegisteredUnder(current)).toList();
        if (!moved.isEmpty()) {
            db.run(tx ->
                    OpenStreamStore.put(
                            tx, moved.stream().map(lease -> lease.row(current)).toList()));
            moved.forEach(lease -> lease.registeredUnder(current));
        }
        if (cleanedUnder != current) {
            db.run(OpenStreamStore::removeDead);
            cleanedUnder = current;
        }
    }

    private void endThoseWithoutAccess() {
        var callers = new HashSet<Caller>();
        open.forEach(lease -> callers.add(lease.caller()));
        var valid = db.call(tx -> CallerQueries.stillValid(tx, callers, clock.instant()));
        for (var lease : open) {
            if (callers.contains(lease.caller()) && !valid.contains(lease.caller())) {
                lease.end(StreamEnd.ACCESS_ENDED);
            }
        }
    }

    private void endThoseAboveLimit() {
        var limited = new HashMap<WorkspaceId, Integer>();
        for (var lease : open) {
            var workspace = lease.caller().workspace();
            limits.apply(workspace).ifPresent(limit -> limited.put(workspace, limit));
        }
        if (limited.isEmpty()) {
            return;
        }
        var above = db.call(tx -> OpenStreamStore.aboveLimit(tx, limited));
        for (var lease : open) {
            if (above.contains(lease.id())) {
                lease.end(StreamEnd.STREAM_LIMIT_REACHED);
            }
        }
    }

    /// Ends all streams and refuses new ones.
    @Override
    public void close() {
        isClosed = true;
        open.forEach(lease -> lease.end(StreamEnd.SERVER_STOPPING));
    }
}
