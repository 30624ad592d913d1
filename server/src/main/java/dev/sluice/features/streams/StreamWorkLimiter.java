package dev.sluice.features.streams;

import dev.sluice.account.workspace.WorkspaceId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/// Limits how much time all of this node's streams together spend on one kind of work. This keeps
/// processor and database time free for webhooks, even if there are many streams.
///
/// A stream needs a permit to work. While other streams are waiting for a permit, a returned permit
/// can be used again only after a rest, which keeps the work of all streams within the allowed
/// share of the time. If no stream is waiting, there is no rest.
///
/// The workspace that has gone longest without a permit comes first. Within a workspace, the stream
/// with the oldest turn comes first, so if the share is not enough for all streams, only the newer
/// ones fall behind. Every eighth permit goes to the stream that has waited longest, if it has
/// waited for at least `maxWait`. Newer streams that need few permits therefore still get them.
/// Thread-safe.
final class StreamWorkLimiter {

    /// The minimum rest. Shorter rests are skipped until they add up to this time.
    private static final Duration MIN_REST = Duration.ofMillis(10);

    /// The maximum rest, no matter how slow the work was. This cap matters when something other
    /// than the amount of work made it slow, such as a database that did not respond.
    private static final Duration MAX_REST = Duration.ofSeconds(5);

    /// One out of this many permits goes to the stream that has waited longest. If more permits
    /// were given out in this way, no stream would read fast enough to catch up with a busy source.
    private static final int PERMITS_PER_LONG_WAIT = 8;

    /// The maximum number of workspaces whose last permit is remembered.
    private static final int MAX_WORKSPACES = 1_000;

    /// Runs a task after a number of nanoseconds.
    @FunctionalInterface
    interface Delay {
        void run(Runnable task, long nanos);
    }

    private final double share;
    private final Duration maxWait;
    private final LongSupplier clock;
    private final Delay delay;

    private final ReentrantLock lock = new ReentrantLock();

    /// The waiting streams. Guarded by `lock`, like all fields below.
    private final List<WaitingStream> waiting = new ArrayList<>();

    /// Maps each workspace to the value of `permitsGiven` when the workspace last got a permit that
    /// it had waited for. The workspace whose last permit is the oldest comes first.
    private final SequencedMap<WorkspaceId, Long> lastPermits = new LinkedHashMap<>();

    /// The number of permits given to waiting streams.
    private long permitsGiven;

    private int freePermits;
    private long lastTurn;

    /// The time until which the work done so far uses up the allowed share, in nanoseconds of
    /// `clock`.
    private long usedUpTo;

    /// A stream's place among its workspace's streams.
    ///
    /// @param number the turn's number; older turns have lower numbers
    record StreamTurn(WorkspaceId workspace, long number) {}

    private final class WaitingStream {

        private final StreamTurn turn;
        private final long sinceNanos;
        private final Condition hasPermit = lock.newCondition();
        private boolean isServed;

        WaitingStream(StreamTurn turn, long sinceNanos) {
            this.turn = turn;
            this.sinceNanos = sinceNanos;
        }
    }

    /// @param permits the number of streams that may work at the same time
    /// @param share the maximum work per unit of time; 0.25 is a quarter of one thread's time
    /// @param maxWait a stream that has waited for this long gets one of the next permits
    ///   regardless of its turn
    StreamWorkLimiter(int permits, double share, Duration maxWait) {
        this(
                permits,
                share,
                maxWait,
                System::nanoTime,
                (task, nanos) ->
                        CompletableFuture.delayedExecutor(
                                        nanos, TimeUnit.NANOSECONDS, Runnable::run)
                                .execute(task));
    }

    /// @param clock returns the time in nanoseconds, like [System#nanoTime]
    StreamWorkLimiter(
            int permits, double share, Duration maxWait, LongSupplier clock, Delay delay) {
        this.freePermits = permits;
        this.share = share;
        this.maxWait = maxWait;
        this.clock = clock;
        this.delay = delay;
        usedUpTo = clock.getAsLong();
    }

    /// Permission to work. The stream must close it when the work is done.
    final class WorkPermit implements AutoCloseable {

        private final long begun = clock.getAsLong();
        private Optional<Long> estimate = Optional.empty();

        /// Counts this much work instead of the time until the permit is closed. On busy
        /// processors, that time is often much longer than the work.
        void estimateWork(long nanos) {
            estimate = Optional.of(nanos);
        }

        @Override
        public void close() {
            long now = clock.getAsLong();
            long rest = restAfter(begun, now, estimate.orElse(now - begun));
            if (rest > 0) {
                delay.run(StreamWorkLimiter.this::release, rest);
            } else {
                release();
            }
        }
    }

    /// Returns a new turn for a stream of this workspace. The stream may use it to acquire any
    /// number of permits.
    StreamTurn newTurn(WorkspaceId workspace) {
        lock.lock();
        try {
            return new StreamTurn(workspace, ++lastTurn);
        } finally {
            lock.unlock();
        }
    }

    /// Returns a permit, or empty if the stream gets none in time. The stream keeps its place if it
    /// tries again.
    ///
    /// @param sinceNanos when the stream began to wait, according to the limiter's clock
    /// @param timeout the longest time to wait in this call
    Optional<WorkPermit> acquire(StreamTurn turn, long sinceNanos, Duration timeout)
            throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (freePermits > 0) { // then no stream is waiting
                freePermits--;
                return Optional.of(new WorkPermit());
            }
            var waiter = new WaitingStream(turn, sinceNanos);
            waiting.add(waiter);
            try {
                long left = timeout.toNanos();
                while (!waiter.isServed && left > 0) {
                    left = waiter.hasPermit.awaitNanos(left);
                }
            } catch (InterruptedException e) {
                if (waiter.isServed) {
                    release();
                }
                throw e;
            } finally {
                waiting.remove(waiter);
            }
            return waiter.isServed ? Optional.of(new WorkPermit()) : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private void release() {
        lock.lock();
        try {
            if (waiting.isEmpty()) {
                freePermits++;
                return;
            }
            permitsGiven++;
            var next = longestWaiting().orElseGet(this::firstInTurn);
            waiting.remove(next);
            remember(next.turn.workspace());
            next.isServed = true;
            next.hasPermit.signal();
        } finally {
            lock.unlock();
        }
    }

    /// For one out of [#PERMITS_PER_LONG_WAIT] permits, returns the stream that has waited longest,
    /// if it has waited for at least `maxWait`. Otherwise returns empty.
    private Optional<WaitingStream> longestWaiting() {
        long now = clock.getAsLong();
        return permitsGiven % PERMITS_PER_LONG_WAIT == 0
                ? waiting.stream()
                        .max(Comparator.comparingLong(stream -> now - stream.sinceNanos))
                        .filter(stream -> now - stream.sinceNanos >= maxWait.toNanos())
                : Optional.empty();
    }

    private WaitingStream firstInTurn() {
        return Collections.min(
                waiting,
                Comparator.<WaitingStream>comparingLong(
                                stream -> lastPermits.getOrDefault(stream.turn.workspace(), 0L))
                        .thenComparingLong(stream -> stream.turn.number()));
    }

    private void remember(WorkspaceId workspace) {
        lastPermits.putLast(workspace, permitsGiven);
        if (lastPermits.size() > MAX_WORKSPACES) {
            lastPermits.pollFirstEntry();
        }
    }

    /// Returns the number of streams that are waiting for a permit.
    int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    private long restAfter(long begun, long now, long work) {
        lock.lock();
        try {
            if (waiting.isEmpty()) {
                usedUpTo = now;
                return 0;
            }
            long from = usedUpTo - begun > 0 ? usedUpTo : begun;
            long rest = Math.min(from + (long) (work / share) - now, MAX_REST.toNanos());
            usedUpTo = now + rest;
            return rest < MIN_REST.toNanos() ? 0 : rest;
        } finally {
            lock.unlock();
        }
    }
}
