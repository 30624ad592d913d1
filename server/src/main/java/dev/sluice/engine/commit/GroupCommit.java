package dev.sluice.engine.commit;

import dev.sluice.engine.commit.CommitPlan.CommitDoubt;
import dev.sluice.engine.commit.CommitPlan.CommitFailure;
import dev.sluice.engine.commit.CommitPlan.CommitStep;
import dev.sluice.engine.commit.CommitPlan.PartSize;
import dev.sluice.engine.commit.CommitPlan.PartState;
import dev.sluice.engine.commit.CommitPlan.RestPlace;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.loop.FailureStreak;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// Writes items in batches, each in one transaction: the items that are queued during one commit
/// are written together in the next one. [CommitPlan] decides how to go on after a failure.
///
/// If the connection breaks during a commit, it is unknown whether the transaction was committed.
/// Unless it is safe to write the items again, the group commit then looks for them in the database
/// and writes them again only if they are missing. Items that are refused in the meantime are not
/// written again, but are still looked up.
///
/// A single thread writes. [#close] gives it at most four seconds to write the queued items.
final class GroupCommit<T> implements AutoCloseable {

    /// The queue of items to be written.
    interface BatchQueue<T> {

        /// Removes and returns the items of the next batch. If there are none, waits for some,
        /// unless the queue is closed. Returns an empty list if there are still none after the
        /// wait.
        List<T> take(Duration time) throws InterruptedException;

        /// Called before the senders of so many stored items are told.
        default void answering(int items) {}

        /// Makes [#take] stop waiting for items. Items that are already queued can still be taken.
        void close();
    }

    /// The database. Each call takes one transaction and throws the same exceptions as
    /// [dev.sluice.platform.db.DedicatedConnection#call]. Used only by the writer thread.
    interface BatchStore<T> {

        /// Writes the items, and returns those that changed a row.
        ///
        /// @param epoch this node's epoch (see [dev.sluice.engine.Lease])
        List<T> write(List<T> items, long epoch);

        /// Returns those of the items that are stored. Called only if writing an item again is not
        /// safe.
        List<T> stored(List<T> items);

        /// Creates the missing partitions for the days of these ids. Failures are only logged.
        void makeDays(List<UUID> ids);

        /// Whether the database responds on this connection.
        boolean isAnswering();

        /// Called when the thread ends.
        void close();
    }

    /// What a batch consists of, and who learns what became of it. No method may throw an
    /// exception. Used only by the writer thread.
    interface BatchType<T> {

        /// Whether writing an item again is safe.
        boolean isRepeatable();

        /// How many items may be set aside after a failure.
        int maxResting();

        /// Returns the id whose time determines the day of the item's rows.
        UUID id(T item);

        /// Whether the item was refused in the meantime, and must not be written any more.
        boolean isRefused(T item);

        /// Refuses items that may be stored. Each is looked up afterwards.
        void refuse(List<T> items);

        /// Called when a refused item turns out not to be stored.
        void drop(T item);

        /// Called after a commit.
        ///
        /// @param effective the items that changed a row
        /// @param epoch this node's epoch during the commit
        void written(List<T> items, List<T> effective, long epoch);

        /// Called for items that are not stored and will not be tried again. May be called for
        /// items that are stored, which are left alone.
        void givenUp(List<T> items);

        /// Returns the item in the form in which it is set aside.
        T atRest(T item);

        void logFailure(List<T> items, boolean isLookUp, Throwable cause);

        /// Logs that items are given up.
        ///
        /// @param isDay whether the reason is that the partition for their day cannot be created
        void logRefusal(List<T> items, boolean isDay, Throwable cause);

        void logCrash(List<T> items, Throwable cause);
    }

    /// The time, and the way to wait for it.
    interface CommitTimer {

        /// Uses the monotonic clock of this process.
        CommitTimer SYSTEM =
                new CommitTimer() {
                    @Override
                    public long nanoTime() {
                        return System.nanoTime();
                    }

                    @Override
                    public void sleep(Duration time) throws InterruptedException {
                        // never counted down: only an interrupt ends the sleep early
                        boolean _ =
                                new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
                    }
                };

        long nanoTime();

        void sleep(Duration time) throws InterruptedException;
    }

    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

    /// How long `close` waits for queued items to be written.
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(4);

    private static final long MAX_BACKOFF_MILLIS = 1_000;

    /// If committing a part still violates the database protocol after this many failures, although
    /// the database responds to other statements, the items are assumed to be the cause.
    private static final int MAX_PROTOCOL_VIOLATIONS = 10;

    /// How long items that are set aside wait for their next try.
    private static final Duration REST_DURATION = Duration.ofSeconds(5);

    /// The maximum number of set-aside items that are tried again in one batch.
    private static final int MAX_WOKEN = 64;

    /// A batch, or a part of one.
    ///
    /// @param doubtEpoch this node's epoch during an earlier commit of these items whose outcome is
    ///   unknown; empty if there was none
    /// @param isRefused whether the items were refused after that commit
    /// @param isPart see [PartState]
    private record BatchPart<T>(
            List<T> items,
            OptionalLong doubtEpoch,
            boolean isRefused,
            boolean isPart,
            int failures,
            int missingDays) {

        static <T> BatchPart<T> of(List<T> batch, boolean isRested) {
            return new BatchPart<>(batch, OptionalLong.empty(), false, isRested, 0, 0);
        }

        boolean isInDoubt() {
            return doubtEpoch.isPresent();
        }

        BatchPart<T> of(List<T> some) {
            return new BatchPart<>(some, doubtEpoch, isRefused, isPart, failures, missingDays);
        }

        BatchPart<T> split(List<T> some) {
            return new BatchPart<>(some, doubtEpoch, isRefused, true, 0, 0);
        }

        BatchPart<T> refused(List<T> some) {
            return new BatchPart<>(some, doubtEpoch, true, isPart, 0, 0);
        }

        BatchPart<T> failed(boolean isDayMissing) {
            return new BatchPart<>(
                    items,
                    doubtEpoch,
                    isRefused,
                    isPart,
                    failures + 1,
                    missingDays + (isDayMissing ? 1 : 0));
        }

        BatchPart<T> inDoubt(long epoch) {
            return isInDoubt()
                    ? this
                    : new BatchPart<>(
                            items,
                            OptionalLong.of(epoch),
                            isRefused,
                            isPart,
                            failures,
                            missingDays);
        }
    }

    private final BatchQueue<T> queue;
    private final BatchStore<T> store;
    private final BatchType<T> type;
    private final LongSupplier epoch;
    private final CommitTimer timer;
    private final FailureStreak commits = new FailureStreak(Duration.ZERO);
    private final Thread thread;
    private volatile boolean isClosing;

    /// The batch that the writer thread is committing; empty between commits.
    private volatile List<T> writing = List.of();

    /// The parts of that batch that are neither stored nor given up. Used only by the writer
    /// thread, like the days and the time of the next try.
    private final Deque<BatchPart<T>> parts = new ArrayDeque<>();

    private final GivenUpDays givenUpDays = new GivenUpDays();
    private long nextWakeNanos;

    /// The items that are set aside.
    private final Queue<T> resting = new ConcurrentLinkedQueue<>();

    /// @param epoch returns this node's epoch; called for each transaction
    GroupCommit(
            String name,
            BatchQueue<T> queue,
            BatchStore<T> store,
            BatchType<T> type,
            LongSupplier epoch,
            CommitTimer timer) {
        this.queue = queue;
        this.store = store;
        this.type = type;
        this.epoch = epoch;
        this.timer = timer;
        thread = Thread.ofPlatform().name(name).daemon().unstarted(this::runThread);
    }

    void start() {
        thread.start();
    }

    private void runThread() {
        try {
            run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Writes queued items until the queue is closed and empty.
    void run() throws InterruptedException {
        try {
            while (true) {
                writeRested();
                // Asked first: an item may be added after the take has given up, before the close.
                boolean isLast = isClosing;
                var batch = queue.take(POLL_INTERVAL);
                if (!batch.isEmpty()) {
                    writeAll(batch, false);
                } else if (isLast) {
                    return;
                }
            }
        } finally {
            store.close();
        }
    }

    private void writeRested() throws InterruptedException {
        if (resting.isEmpty() || timer.nanoTime() - nextWakeNanos < 0) {
            return;
        }
        nextWakeNanos = timer.nanoTime() + REST_DURATION.toNanos();
        var woken = new ArrayList<T>();
        while (woken.size() < MAX_WOKEN && !resting.isEmpty()) {
            woken.add(resting.remove());
        }
        writeAll(woken, true);
    }

    /// Goes on until each item is stored, given up, or set aside. Catches every exception, because
    /// no more items could be written if the thread ended.
    private void writeAll(List<T> batch, boolean isRested) throws InterruptedException {
        writing = batch;
        try {
            parts.add(BatchPart.of(batch, isRested));
            while (!parts.isEmpty()) {
                write(parts.remove());
            }
        } catch (RuntimeException | Error e) {
            parts.clear();
            type.logCrash(batch, e);
            type.givenUp(batch);
        }
        writing = List.of();
    }

    private void write(BatchPart<T> part) throws InterruptedException {
        if (part.isRefused()) {
            resolve(part);
            return;
        }
        var left = part;
        long owner = epoch.getAsLong();
        List<T> effective;
        try {
            if (part.isInDoubt() && !store.stored(List.of(part.items().getFirst())).isEmpty()) {
                accept(part);
                return;
            }
            left = withoutRefused(part);
            if (left.items().isEmpty()) {
                return;
            }
            owner = epoch.getAsLong();
            effective = store.write(left.items(), owner);
        } catch (RuntimeException | Error e) {
            goOn(left, owner, e);
            return;
        }
        commits.succeeded();
        tell(left.items(), effective, owner);
    }

    /// Looks up refused items whose commit is in doubt. Those that are stored are reported like
    /// others; the rest is dropped.
    private void resolve(BatchPart<T> part) throws InterruptedException {
        List<T> stored;
        try {
            stored = store.stored(part.items());
        } catch (RuntimeException | Error e) {
            goOn(part, part.doubtEpoch().orElseThrow(), e);
            return;
        }
        if (!stored.isEmpty()) {
            tell(stored, stored, part.doubtEpoch().orElseThrow());
        }
        for (var item : part.items()) {
            if (!stored.contains(item)) {
                type.drop(item);
            }
        }
    }

    private void accept(BatchPart<T> part) {
        tell(part.items(), part.items(), part.doubtEpoch().orElseThrow());
    }

    private void tell(List<T> items, List<T> effective, long owner) {
        queue.answering(items.size());
        type.written(items, effective, owner);
    }

    /// Returns the part without the items that were refused in the meantime. They are dropped, or
    /// looked up after the others if they may be stored.
    private BatchPart<T> withoutRefused(BatchPart<T> part) {
        if (part.items().stream().noneMatch(type::isRefused)) {
            return part;
        }
        var remaining = new ArrayList<T>(part.items().size());
        var refused = new ArrayList<T>();
        for (var item : part.items()) {
            (type.isRefused(item) ? refused : remaining).add(item);
        }
        if (part.isInDoubt()) {
            parts.addFirst(part.refused(refused));
        } else {
            refused.forEach(type::drop);
        }
        return part.of(remaining);
    }

    private void goOn(BatchPart<T> part, long owner, Throwable cause) throws InterruptedException {
        type.logFailure(part.items(), part.isRefused(), cause);
        var failure = judge(cause, part.failures());
        var step = CommitPlan.next(failure, stateOf(part));
        boolean isDayMissing = failure == CommitFailure.MISSING_DAY;
        var again = part.failed(isDayMissing);
        switch (step) {
            case REPEAT -> repeat(again);
            case LOOK_UP -> repeat(again.inDoubt(owner));
            case MAKE_DAYS -> {
                store.makeDays(idsOf(part));
                repeat(again);
            }
            case HALVE -> {
                int middle = part.items().size() / 2;
                parts.addFirst(part.split(part.items().subList(middle, part.items().size())));
                parts.addFirst(part.split(part.items().subList(0, middle)));
            }
            case SPLIT_DAYS ->
                    GivenUpDays.byDay(part.items(), type::id)
                            .reversed()
                            .forEach(day -> parts.addFirst(part.split(day)));
            case REST -> rest(part.items());
            case GIVE_UP -> {
                type.logRefusal(part.items(), isDayMissing, cause);
                type.givenUp(part.items());
            }
            case RESOLVE -> {
                type.logRefusal(part.items(), isDayMissing, cause);
                type.refuse(part.items());
                parts.addFirst(part.refused(part.items()));
            }
            case ACCEPT -> accept(part);
        }
        if (isDayMissing && step != CommitStep.MAKE_DAYS && step != CommitStep.SPLIT_DAYS) {
            givenUpDays.add(type.id(part.items().getFirst()), timer.nanoTime());
        }
    }

    private CommitFailure judge(Throwable cause, int failures) {
        if (cause instanceof DbException refused
                && refused.isProtocolViolation()
                && failures >= MAX_PROTOCOL_VIOLATIONS
                && store.isAnswering()) {
            return CommitFailure.BAD_ROW;
        }
        var failure = CommitFailure.of(cause);
        if (failure.isDatabaseFault()) {
            commits.failed();
        }
        return failure;
    }

    private PartState stateOf(BatchPart<T> part) {
        return new PartState(
                part.failures(),
                part.missingDays(),
                part.isPart(),
                sizeOf(part.items()),
                givenUpDays.containsAny(idsOf(part), timer.nanoTime()),
                doubtOf(part),
                restPlace());
    }

    private PartSize sizeOf(List<T> items) {
        if (items.size() == 1) {
            return PartSize.SINGLE;
        }
        return GivenUpDays.byDay(items, type::id).size() == 1
                ? PartSize.ONE_DAY
                : PartSize.SEVERAL_DAYS;
    }

    private CommitDoubt doubtOf(BatchPart<T> part) {
        if (type.isRepeatable()) {
            return CommitDoubt.REPEATABLE;
        }
        if (part.isRefused()) {
            return CommitDoubt.REFUSED;
        }
        return part.isInDoubt() ? CommitDoubt.IN_DOUBT : CommitDoubt.NONE;
    }

    private RestPlace restPlace() {
        if (type.maxResting() == 0) {
            return RestPlace.NONE;
        }
        return resting.size() < type.maxResting() ? RestPlace.FREE : RestPlace.FULL;
    }

    private List<UUID> idsOf(BatchPart<T> part) {
        return part.items().stream().map(type::id).toList();
    }

    private void repeat(BatchPart<T> part) throws InterruptedException {
        parts.addFirst(part);
        timer.sleep(backoff(part.failures() - 1));
    }

    private void rest(List<T> items) {
        if (resting.isEmpty()) {
            nextWakeNanos = timer.nanoTime() + REST_DURATION.toNanos();
        }
        items.forEach(item -> resting.add(type.atRest(item)));
    }

    /// Returns the wait after a failed commit: 20 ms, doubled with each failure up to one second.
    ///
    /// @param failures the number of failures before this one
    private static Duration backoff(int failures) {
        return Duration.ofMillis(Math.min(20L << Math.min(failures, 6), MAX_BACKOFF_MILLIS));
    }

    /// Returns the batch that is being committed; empty between commits.
    List<T> writing() {
        return writing;
    }

    /// Returns the items that are set aside.
    List<T> resting() {
        return List.copyOf(resting);
    }

    /// Returns the record of the failed commits that no item was the cause of.
    FailureStreak commits() {
        return commits;
    }

    boolean isClosing() {
        return isClosing;
    }

    /// Makes [#run] return once the queued items are written.
    void end() {
        isClosing = true;
        queue.close();
    }

    /// Lets the thread write the queued items and waits until it ends. If that takes longer than
    /// [#STOP_TIMEOUT], or if the caller is interrupted, interrupts the thread and returns without
    /// waiting for it.
    @Override
    public void close() {
        end();
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
