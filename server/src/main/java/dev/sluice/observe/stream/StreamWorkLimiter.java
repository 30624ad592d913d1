package dev.sluice.observe.stream;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// Limits how much time all streams of this node together spend on one kind of work, so that many
/// readers cannot take the processors or the database from webhooks.
///
/// A stream needs a permit to work. While other streams are waiting for one, a permit comes back
/// only after a rest, which is so long that the work of all streams keeps its share of the time. A
/// stream that nobody waits for never rests. Thread-safe.
final class StreamWorkLimiter {

    /// Rests that would be shorter are left out until they add up to this time.
    private static final Duration MIN_REST = Duration.ofMillis(10);

    /// The maximum rest after work that was slow for another reason, such as a database that did
    /// not answer.
    private static final Duration MAX_REST = Duration.ofSeconds(5);

    /// Runs a task after a number of nanoseconds.
    @FunctionalInterface
    interface Delay {
        void run(Runnable task, long nanos);
    }

    private final Semaphore permits;
    private final double share;
    private final LongSupplier clock;
    private final Delay delay;

    /// The time, in nanoseconds of the clock, up to which the work so far uses up the share.
    private long usedUpTo;

    /// @param permits the number of streams that may work at the same time
    /// @param share the maximum work per unit of time; 0.25 is a quarter of one thread's time
    StreamWorkLimiter(int permits, double share) {
        this(
                permits,
                share,
                System::nanoTime,
                (task, nanos) ->
                        CompletableFuture.delayedExecutor(
                                        nanos, TimeUnit.NANOSECONDS, Runnable::run)
                                .execute(task));
    }

    /// @param clock returns the time in nanoseconds, like [System#nanoTime]
    StreamWorkLimiter(int permits, double share, LongSupplier clock, Delay delay) {
        this.permits = new Semaphore(permits, true);
        this.share = share;
        this.clock = clock;
        this.delay = delay;
        usedUpTo = clock.getAsLong();
    }

    /// The permission to work. Close it when the work is done.
    final class WorkPermit implements AutoCloseable {

        private final long begun = clock.getAsLong();

        @Override
        public void close() {
            long rest = restAfter(begun, clock.getAsLong());
            if (rest > 0) {
                delay.run(permits::release, rest);
            } else {
                permits.release();
            }
        }
    }

    /// Returns a permit, or empty if none becomes free in time.
    ///
    /// @param timeout the longest time to wait
    Optional<WorkPermit> acquire(Duration timeout) throws InterruptedException {
        return permits.tryAcquire(timeout.toMillis(), TimeUnit.MILLISECONDS)
                ? Optional.of(new WorkPermit())
                : Optional.empty();
    }

    /// Returns whether a stream is waiting for a permit.
    boolean hasWaiters() {
        return permits.hasQueuedThreads();
    }

    private synchronized long restAfter(long begun, long now) {
        if (!hasWaiters()) {
            usedUpTo = now;
            return 0;
        }
        long from = usedUpTo - begun > 0 ? usedUpTo : begun;
        long rest = Math.min(from + (long) ((now - begun) / share) - now, MAX_REST.toNanos());
        usedUpTo = now + rest;
        return rest < MIN_REST.toNanos() ? 0 : rest;
    }
}
