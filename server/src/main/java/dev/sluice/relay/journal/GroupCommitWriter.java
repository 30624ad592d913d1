package dev.sluice.relay.journal;

import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.DbFailure;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.loop.FailureStreak;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// The writer thread of a group commit. It takes items from a queue and writes them in batches over
/// its own database connection.
///
/// `close` first lets the thread write the queued items, for at most four seconds.
final class GroupCommitWriter<T> implements AutoCloseable {

    /// The queue of what is to be written.
    @FunctionalInterface
    interface ItemQueue<T> {

        /// Removes the next item. Waits for one if there is none; null when the time is over.
        @Nullable T poll(long time, TimeUnit unit) throws InterruptedException;
    }

    /// Writes one batch.
    @FunctionalInterface
    interface BatchStep<T> {

        /// @param first first item of the batch, already removed from the queue; the method may
        ///   remove more
        void write(T first) throws InterruptedException;

        /// Called before each look into the queue, at least every 100 ms while it is empty.
        default void beforePoll() throws InterruptedException {}
    }

    private static final long POLL_INTERVAL_MILLIS = 100;

    /// How long `close` waits for queued items to be written.
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(4);

    private static final long MAX_BACKOFF_MILLIS = 1_000;

    /// How often the database may refuse a batch for an unknown reason before its items are tried
    /// apart.
    static final int MAX_UNKNOWN_REFUSALS = 5;

    /// How often a message may not be understood before its items are suspected.
    static final int MAX_PROTOCOL_VIOLATIONS = 10;

    private final ItemQueue<T> queue;
    private final DedicatedConnection connection;
    private final BatchStep<T> step;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final FailureStreak commits = new FailureStreak(Duration.ZERO);

    /// Never counted down: an interruptible sleep.
    private final CountDownLatch interruptibleSleep = new CountDownLatch(1);

    private final Thread thread;

    /// @param connection database connection of the thread, closed when the thread ends
    GroupCommitWriter(
            String name, ItemQueue<T> queue, DedicatedConnection connection, BatchStep<T> step) {
        this.queue = queue;
        this.connection = connection;
        this.step = step;
        thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                step.beforePoll();
                var first = queue.poll(POLL_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
                if (first != null) {
                    step.write(first);
                } else if (isClosing()) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connection.close();
        }
    }

    /// The failures of this writer's commits. The steps report them.
    FailureStreak commits() {
        return commits;
    }

    /// Returns what a failed commit means for the items of its batch, and counts the failure unless
    /// it is theirs.
    ///
    /// A message that is never understood is the fault of what it says, if the database otherwise
    /// answers. Any exception that does not come from the database is a bug in encoding an item.
    ///
    /// @param failures number of failures of this batch before this one
    DbFailure judge(RuntimeException e, int failures) {
        boolean isOwnFault =
                !(e instanceof DbException refused)
                        || refused.failure() == DbFailure.BAD_ROW
                        || (refused.isProtocolViolation()
                                && failures >= MAX_PROTOCOL_VIOLATIONS
                                && connection.isAnswering());
        if (isOwnFault) {
            return DbFailure.BAD_ROW;
        }
        commits.failed();
        return ((DbException) e).failure();
    }

    boolean isClosing() {
        return closing.getCount() == 0;
    }

    /// Sleeps for the whole time, even during `close`. Only the interrupt at the end of `close`
    /// ends the sleep early.
    void sleep(Duration time) throws InterruptedException {
        boolean _ = interruptibleSleep.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /// Sleeps until the time is over or `close` is called. Returns true when `close` was called.
    boolean awaitClose(Duration time) throws InterruptedException {
        return closing.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /// Returns the wait after a failed commit, which doubles with each failure up to one second.
    ///
    /// @param failures number of failures before this one
    static Duration backoff(int failures) {
        return Duration.ofMillis(Math.min(20L << Math.min(failures, 6), MAX_BACKOFF_MILLIS));
    }

    /// Returns when all queued items are written, or after [#STOP_TIMEOUT].
    @Override
    public void close() {
        closing.countDown();
        try {
            if (!thread.join(STOP_TIMEOUT)) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
