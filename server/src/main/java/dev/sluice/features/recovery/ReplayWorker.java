package dev.sluice.features.recovery;

import dev.sluice.account.plan.Retention;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Pause;
import dev.sluice.platform.loop.Wake;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Creates the resends for replay jobs. Each round processes one chunk of each of up to
/// [#MAX_JOBS_PER_ROUND] jobs that this process can lease and that do not have to wait. Workspaces
/// take turns, however many jobs they have. Several nodes may run this loop at the same time, but
/// each job is leased to only one of them.
///
/// One transaction creates a chunk's resends, and another records the job's progress
/// (`docs/adr/0015`). After a crash between the two, the chunk is repeated. The second run
/// recognizes the resends from the first, because all of a job's resends have the job's creation
/// time. It counts those resends and does not create them again.
public final class ReplayWorker implements Loop.Step {

    /// Limits on the resends that one job creates.
    ///
    /// @param maxChunkEvents the maximum number of events in one chunk
    /// @param maxWaiting the maximum number of resends that may be waiting on a connection. The job
    ///   creates no resends on the connection while the next chunk could raise the number above
    ///   this maximum
    record ReplayLimits(int maxChunkEvents, int maxWaiting) {
        static final ReplayLimits DEFAULTS = new ReplayLimits(1_000, 10_000);
    }

    private static final Logger log = LoggerFactory.getLogger(ReplayWorker.class);

    private static final Duration LEASE_TIMEOUT = Duration.ofSeconds(15);

    /// How much earlier than the database this process considers its lease expired.
    private static final Duration LEASE_SAFETY_MARGIN = Duration.ofSeconds(5);

    private static final int MAX_JOBS_PER_ROUND = 64;

    /// How long a job waits after a failure, or when it temporarily cannot continue.
    private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);

    /// A job that fails this many times in a row is marked as failed. Temporary database failures
    /// do not count.
    private static final int MAX_CONSECUTIVE_FAILURES = 30;

    private static final String REPEATED_FAILURE =
            "Stopped: a chunk of the replay failed repeatedly. The server log says why.";

    private static final Duration FINISHED_JOB_RETENTION = Duration.ofDays(30);
    private static final Duration CLEANUP_INTERVAL = Duration.ofHours(1);

    private final Db db;
    private final ConfigurationCache configuration;
    private final Function<WorkspaceId, Retention> retention;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final InstantSource settledClock;
    private final LongSupplier nanos;
    private final UUID owner;
    private final ReplayLimits limits;
    private final ResendWaker waker;

    /// The jobs that must wait. Each job may run again once its pause is over. This field and the
    /// next three are used only by the thread that runs the rounds.
    private final Map<UUID, Pause> deferrals = new HashMap<>();

    private final Map<UUID, Integer> failures = new HashMap<>();

    /// For each job whose resends were all counted in its last round here: when its lease ends, by
    /// the monotonic clock. No other process has held such a job since.
    private final Map<UUID, Long> leaseEnds = new HashMap<>();

    private Pause cleanupPause = Pause.NONE;

    /// Whether `releaseLeases` has been called. It may be called while a chunk is being processed.
    private volatile boolean hasLeft;

    /// The clocks of a worker.
    ///
    /// @param shared shows the database's time
    /// @param settled the clock for decisions that cannot be undone
    /// @param nanos the monotonic clock, for leases
    public record WorkerClocks(InstantSource shared, InstantSource settled, LongSupplier nanos) {}

    /// @param retention returns how long a workspace's events are kept
    /// @param backlog called when resends are waiting to be sent
    public ReplayWorker(
            Db db,
            ConfigurationCache configuration,
            Function<WorkspaceId, Retention> retention,
            Uuid7 ids,
            WorkerClocks clocks,
            Wake backlog) {
        this(db, configuration, retention, ids, clocks, backlog, ReplayLimits.DEFAULTS);
    }

    ReplayWorker(
            Db db,
            ConfigurationCache configuration,
            Function<WorkspaceId, Retention> retention,
            Uuid7 ids,
            WorkerClocks clocks,
            Wake backlog,
            ReplayLimits limits) {
        this.db = db;
        this.configuration = configuration;
        this.retention = retention;
        this.ids = ids;
        this.clock = clocks.shared();
        this.settledClock = clocks.settled();
        this.nanos = clocks.nanos();
        this.owner = ids.next();
        this.limits = limits;
        this.waker = new ResendWaker(db, backlog);
    }

    @Override
    public boolean run() {
        var now = clock.instant();
        deferrals.values().removeIf(pause -> pause.isOver(now));
        leaseEnds.values().removeIf(end -> !isAhead(end));
        boolean isMore = false;
        for (var id :
                db.statement(tx ->
                        ReplayStore.openJobs(
                                tx,
                                owner,
                                LEASE_TIMEOUT,
                                deferrals.keySet(),
                                MAX_JOBS_PER_ROUND))) {
            isMore |= runJob(id);
        }
        deleteFinishedJobs(settledClock.instant());
        return isMore;
    }

    private void deleteFinishedJobs(Instant now) {
        if (!cleanupPause.isOver(now)) {
            return;
        }
        cleanupPause = Pause.of(now, CLEANUP_INTERVAL);
        int deleted =
                db.call(tx -> ReplayStore.deleteFinished(tx, now.minus(FINISHED_JOB_RETENTION)));
        log.atDebug().addKeyValue("replays", deleted).log("replays.deleted");
    }

    /// Runs one chunk of a job. Returns whether the job can continue immediately. If the chunk
    /// fails, the failure is recorded and the round continues with the next job. Throws if the
    /// database connection was lost.
    private boolean runJob(UUID id) {
        try {
            var leased = acquireLease(id);
            boolean isMore = leased.isPresent() && runChunk(leased.get());
            failures.remove(id);
            return isMore;
        } catch (DbException e) {
            if (e.isConnectionLost()) {
                throw e;
            }
            recordFailure(id, e, !e.failure().isPassing());
            return false;
        } catch (RuntimeException e) {
            recordFailure(id, e, true);
            return false;
        }
    }

    private Optional<LeasedJob> acquireLease(UUID id) {
        @Nullable Long earlierEnd = leaseEnds.remove(id);
        long until = nanos.getAsLong() + LEASE_TIMEOUT.minus(LEASE_SAFETY_MARGIN).toNanos();
        return db.call(tx ->
                ReplayStore.acquireLease(tx, id, owner, LEASE_TIMEOUT)
                        .map(replay ->
                                new LeasedJob(
                                        replay,
                                        ReplayStore.overlappingJobTimes(tx, replay),
                                        until,
                                        earlierEnd != null && isAhead(earlierEnd))));
    }

    /// Whether a lease that ends at this time is certainly still valid by the local monotonic
    /// clock.
    private boolean isAhead(long leaseEndNanos) {
        return nanos.getAsLong() - leaseEndNanos < 0;
    }

    /// Returns whether this process certainly still holds the job's lease. Uses only the local
    /// monotonic clock and runs no query.
    private boolean isStillHeld(LeasedJob job) {
        return !hasLeft && isAhead(job.leaseEndNanos());
    }

    private boolean runChunk(LeasedJob job) {
        var replay = job.replay();
        return switch (replay.state().status()) {
            case RUNNING -> {
                var refusal = refusal(replay);
                refusal.ifPresent(reason -> stopFor(reason, job));
                yield refusal.isEmpty() && !resendChunk(job);
            }
            case PAUSED -> {
                db.run(tx -> ReplayStore.releasePaused(tx, replay, owner));
                yield false;
            }
            case COMPLETED, CANCELLED, FAILED -> {
                close(replay);
                yield false;
            }
        };
    }

    private Optional<ResendRefusal> refusal(Replay replay) {
        var connection = replay.selection().connection();
        var route = configuration.route(connection);
        if (route.isEmpty()) {
            return Optional.of(
                    configuration
                            .deletion(connection)
                            .map(ResendRefusal::of)
                            .orElse(ResendRefusal.UNKNOWN_CONNECTION));
        }
        return ResendRefusal.of(route.get())
                .or(() ->
                        ResendRefusal.of(
                                countWaiting(replay),
                                limits.maxChunkEvents(),
                                limits.maxWaiting()));
    }

    private void stopFor(ResendRefusal refusal, LeasedJob job) {
        var replay = job.replay();
        boolean isLast = replay.scope().waiting().isEmpty();
        var now = clock.instant();
        switch (refusal) {
            case ResendRefusal.PermanentRefusal(String reason) -> {
                if (isLast && replay.scope().connections().size() == 1) {
                    var _ = fail(replay.id(), reason);
                } else {
                    leaveConnection(replay, now);
                }
            }
            case ResendRefusal.TemporaryRefusal(String reason) -> {
                if (isLast) {
                    defer(replay, reason);
                } else if (job.isContinued() || finishCounting(job)) {
                    db.run(tx -> {
                        ReplayStore.saveReason(tx, replay, owner, reason, now);
                        ReplayPositionStore.rotate(tx, replay, owner, now);
                    });
                    leaseEnds.put(replay.id(), job.leaseEndNanos());
                }
            }
        }
    }

    /// Stops resending on the current connection for good, because the connection or its
    /// destination was deleted. Resends that were created but not yet counted are counted first.
    /// The job continues with its remaining connections, or completes if there are none.
    private void leaveConnection(Replay replay, Instant now) {
        int counted = ReplayChunkStore.countResent(db, replay, limits.maxChunkEvents());
        db.run(tx ->
                ReplayPositionStore.advance(
                        tx,
                        replay,
                        owner,
                        new ReplayChunk(counted, 0, Optional.empty()),
                        Optional.empty(),
                        false,
                        now));
    }

    /// Counts the resends that another process, or a failed round, created in the chunk at the
    /// job's position, and moves the position behind them. Called before the job leaves a
    /// connection for a while, because resends that are not counted would let the job exceed its
    /// maximum on other connections. Creates no resends. Returns whether there were none, so that
    /// all are counted.
    private boolean finishCounting(LeasedJob job) {
        var selection = unexpiredSelection(job.replay());
        var page = page(selection);
        var chunk = resend(job, selection, page, 0);
        if (chunk.isEmpty() || chunk.get().created() == 0) {
            return chunk.isPresent();
        }
        var _ = finishChunk(job.replay(), chunk.get(), page, clock.instant());
        return false;
    }

    /// Resends one chunk. Returns true if it was the last chunk, or if the job cannot continue
    /// immediately.
    private boolean resendChunk(LeasedJob job) {
        var replay = job.replay();
        var selection = unexpiredSelection(replay);
        var page = page(selection);
        var chunk = resend(job, selection, page, maxCreated(replay));
        if (chunk.isEmpty()) {
            return true;
        }
        boolean isOver = finishChunk(replay, chunk.get(), page, clock.instant());
        leaseEnds.put(replay.id(), job.leaseEndNanos());
        return isOver;
    }

    private SelectionPage page(ResendSelection selection) {
        return db.call(tx -> {
            SelectionQueries.forceIndexScan(tx);
            return SelectionQueries.page(tx, selection, limits.maxChunkEvents());
        });
    }

    /// Returns the chunk, or empty if nothing was created because the job is no longer running or
    /// its lease has expired. In the latter case, defers the job.
    private Optional<ReplayChunk> resend(
            LeasedJob job, ResendSelection selection, SelectionPage page, int maxCreated) {
        if (page.events().isEmpty()) {
            return Optional.of(new ReplayChunk(0, 0, Optional.empty()));
        }
        var id = job.replay().id();
        if (!db.statement(tx -> ReplayStore.isRunning(tx, id, owner))) {
            return Optional.empty();
        }
        var chunk =
                db.call(tx -> {
                    SelectionQueries.forceIndexScan(tx);
                    return ReplayChunkStore.resend(
                            tx,
                            job,
                            selection,
                            page.events(),
                            maxCreated,
                            () -> isStillHeld(job),
                            clock,
                            ids.next());
                });
        if (chunk.isEmpty()) {
            log.atWarn().addKeyValue("replay_id", id).log("replay.lease_expired");
            deferrals.put(id, Pause.of(clock.instant(), RETRY_INTERVAL));
        }
        return chunk;
    }

    /// Records a finished chunk and wakes the lane that holds its resends. If the job has a rate
    /// limit, defers the next chunk to stay within it. Returns true if this was the last chunk, or
    /// if the job cannot continue immediately.
    private boolean finishChunk(Replay replay, ReplayChunk chunk, SelectionPage page, Instant now) {
        var selection = replay.selection();
        var next = chunk.last().map(DeliveryId::maxIdOf).or(page::next);
        boolean isComplete =
                replay.scope()
                        .maxCreated()
                        .filter(max -> replay.progress().created() + chunk.created() >= max)
                        .isPresent();
        db.run(tx -> ReplayPositionStore.advance(tx, replay, owner, chunk, next, isComplete, now));
        if (chunk.created() > 0) {
            waker.wake(selection.source(), List.of(selection.connection()), now);
        }
        var rest = restAfter(replay, chunk.created());
        if (!rest.isZero()) {
            deferrals.put(replay.id(), Pause.of(now, rest));
            return true;
        }
        return isComplete || (next.isEmpty() && replay.scope().waiting().isEmpty());
    }

    /// Returns the maximum number of resends that the next chunk may create. This is what remains
    /// of the job's maximum, but no more than its rate limit allows in one second.
    private static int maxCreated(Replay replay) {
        var scope = replay.scope();
        long left =
                scope.maxCreated()
                        .map(max -> max - replay.progress().created())
                        .orElse((long) Integer.MAX_VALUE);
        return (int) Math.min(left, scope.perSecond().orElse(Integer.MAX_VALUE));
    }

    /// Returns how long the job must wait after creating `created` resends, so that it stays within
    /// its rate limit.
    private static Duration restAfter(Replay replay, int created) {
        return replay.scope()
                .perSecond()
                .map(perSecond -> Duration.ofSeconds(created).dividedBy(perSecond))
                .orElse(Duration.ZERO);
    }

    /// Returns the part of the selection that is still to be processed, without expired events.
    private ResendSelection unexpiredSelection(Replay replay) {
        var selection = replay.selection();
        var kept =
                Uuid7.floorAfter(
                        retention.apply(replay.workspace()).expiryCutoff(settledClock.instant()));
        return selection.startingAfter(Uuid7.max(selection.after(), kept));
    }

    private int countWaiting(Replay replay) {
        return db.call(tx -> {
            SelectionQueries.forceIndexScan(tx);
            return SelectionQueries.countWaiting(tx, replay.selection(), limits.maxWaiting());
        });
    }

    private void defer(Replay replay, String reason) {
        var now = clock.instant();
        deferrals.put(replay.id(), Pause.of(now, RETRY_INTERVAL));
        db.run(tx -> ReplayStore.saveReason(tx, replay, owner, reason, now));
    }

    /// Marks a job as failed. Returns false if it has finished already.
    private boolean fail(UUID id, String reason) {
        boolean isFailed = db.call(tx -> ReplayStore.fail(tx, id, owner, reason, clock.instant()));
        if (!isFailed) {
            return false;
        }
        log.atInfo()
                .addKeyValue("replay_id", id)
                .addKeyValue("reason", reason)
                .log("replay.failed");
        return true;
    }

    /// Logs that a job's chunk failed, and makes the job wait. After too many failures in a row,
    /// marks the job as failed; if it has finished already, gives up counting its last chunk.
    ///
    /// @param isOwn whether the job itself might be the cause; false for a temporary database
    ///   failure
    private void recordFailure(UUID id, RuntimeException e, boolean isOwn) {
        int count = failures.merge(id, isOwn ? 1 : 0, Integer::sum);
        log.atWarn()
                .addKeyValue("replay_id", id)
                .addKeyValue("times", count)
                .setCause(e)
                .log("replay.chunk_failed");
        deferrals.put(id, Pause.of(clock.instant(), RETRY_INTERVAL));
        if (count >= MAX_CONSECUTIVE_FAILURES) {
            failures.remove(id);
            if (!fail(id, REPEATED_FAILURE)) {
                db.run(tx -> ReplayStore.close(tx, id, owner, 0));
            }
        }
    }

    /// Closes a job that was cancelled or has failed, after counting its last chunk's resends. The
    /// process that created those resends may have died before it counted them.
    private void close(Replay replay) {
        int counted = ReplayChunkStore.countResent(db, replay, limits.maxChunkEvents());
        db.run(tx -> ReplayStore.close(tx, replay.id(), owner, counted));
        failures.remove(replay.id());
    }

    /// Releases all leases, so that other nodes can continue the jobs immediately.
    public void releaseLeases() {
        hasLeft = true;
        db.run(tx -> ReplayStore.releaseLeases(tx, owner));
    }
}
