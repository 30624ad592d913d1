package dev.sluice.engine.commit;

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
/// [#close] gives the thread at most four seconds to write the queued items.
final class GroupCommitWriter<T> implements AutoCloseable {

    /// The queue of items to be written.
    interface ItemQueue<T> extends AutoCloseable {

        /// Removes and returns the next item. If there is none, waits for one, unless the queue is
        /// closed. Returns null if there is still none after the wait.
        @Nullable T poll(long time, TimeUnit unit) throws InterruptedException;

        /// Makes [#poll] stop waiting for items, now and in later calls. Items that are already
        /// queued can still be removed.
        @Override
        void close();
    }

    /// Writes one batch.
    @FunctionalInterface
    interface BatchStep<T> {

        /// @param first the first item of the batch, already removed from the queue; the method may
        ///   remove more items
        void write(T first) throws InterruptedException;

        /// Called before each poll of the queue, which is at least once a second while the queue is
        /// empty.
        default void beforePoll() throws InterruptedException {}
    }

    private static final long POLL_INTERVAL_MILLIS = 1_000;

    /// How long `close` waits for queued items to be written.
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(4);

    private static final long MAX_BACKOFF_MILLIS = 1_000;

    /// A batch that the database refuses for an unknown reason is split if it fails again after
    /// this many failed commits.
    static final int MAX_UNKNOWN_REFUSALS = 5;

    /// If committing a batch still violates the database protocol after this many failed commits,
    /// the items of the batch are suspected to be the cause.
    static final int MAX_PROTOCOL_VIOLATIONS = 10;

    private final ItemQueue<T> queue;
    private final DedicatedConnection connection;
    private final BatchStep<T> step;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final FailureStreak commits = new FailureStreak(Duration.ZERO);

    /// This latch is never counted down. Waiting for it is a sleep that only an interrupt can end
    /// early.
    private final CountDownLatch interruptibleSleep = new CountDownLatch(1);

    private final Thread thread;

    /// @param connection the thread's database connection, which is closed when the thread ends
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
                // Asked first: an item may be added after the poll has given up, before the close.
                boolean isLast = isClosing();
                var first = queue.poll(POLL_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
                if (first != null) {
                    step.write(first);
                } else if (isLast) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connection.close();
        }
    }

    /// Returns the record of this writer's commit failures. The batch step must report each success
    /// to it.
    FailureStreak commits() {
        return commits;
    }

    /// Classifies a commit failure. Counts it as a database failure unless the batch's items caused
    /// it. A missing partition counts as a database failure, even though PostgreSQL reports it as a
    /// row that violates a constraint.
    ///
    /// If committing a batch repeatedly violates the database protocol while the database still
    /// responds to other statements, the batch's items are assumed to be the cause. An exception
    /// that does not come from the database is assumed to be caused by a bug in how an item is
    /// encoded.
    ///
    /// @param failures how many times this batch had already failed
    DbFailure judge(RuntimeException e, int failures) {
        boolean isOwnFault =
                !(e instanceof DbException refused)
                        || (refused.failure() == DbFailure.BAD_ROW && !refused.isMissingPartition())
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

    /// Sleeps for the whole time, even during [#close]. Only an interrupt ends the sleep early;
    /// `close` interrupts the thread if it does not end in time.
    void sleep(Duration time) throws InterruptedException {
        boolean _ = interruptibleSleep.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /// Sleeps until the time has passed or [#close] is called. Returns whether `close` was called.
    boolean awaitClose(Duration time) throws InterruptedException {
        return closing.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /// Returns the wait after a failed commit: 20 ms, doubled with each failure up to one second.
    ///
    /// @param failures the number of failures before this one
    static Duration backoff(int failures) {
        return Duration.ofMillis(Math.min(20L << Math.min(failures, 6), MAX_BACKOFF_MILLIS));
    }

    /// Lets the thread write the queued items and waits until it ends. If that takes longer than
    /// [#STOP_TIMEOUT], or if the caller is interrupted, interrupts the thread and returns without
    /// waiting for it.
    @Override
    public void close() {
        closing.countDown();
        queue.close();
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
