package dev.sluice.relay.journal;

import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.DbFailure;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.store.DeliveryResult;
import dev.sluice.relay.store.PartitionStore;
import dev.sluice.relay.store.ResultListener;
import dev.sluice.relay.store.ResultStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongSupplier;

/// A group commit of delivery results, as the [Journal] is for events.
///
/// Results stay in memory until their commit is confirmed. After a failure they are written again,
/// which is safe because [ResultStore] ignores results that it has already written. Only a result
/// whose own row the database refuses is given up; its delivery is sent again. A single result that
/// the database refuses for another lasting reason rests, so that the others go on.
///
/// One thread writes. `add` is thread-safe and blocks when the queue is full, for example during a
/// long database outage.
public final class ResultJournal implements ResultQueue, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ResultJournal.class);

    private static final int MAX_QUEUED_RESULTS = 20_000;
    private static final int MAX_BATCH_RESULTS = 512;

    /// A batch of at least this many results is written at once. For a smaller batch, the writer
    /// waits up to [#BATCH_LINGER_TIMEOUT] for more results.
    private static final int MIN_BATCH_WITHOUT_LINGER = 64;

    private static final Duration BATCH_LINGER_TIMEOUT = Duration.ofMillis(4);

    /// Maximum number of results that rest. Beyond it, the writer waits instead.
    private static final int MAX_RESTING_RESULTS = 10_000;

    /// Maximum number of resting results that are tried again in one go.
    private static final int MAX_WOKEN_RESULTS = 64;

    private static final Duration REST_DURATION = Duration.ofSeconds(5);

    private final DedicatedConnection connection;
    private final PartitionStore partitions;
    private final LongSupplier epoch;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final BlockingQueue<DeliveryResult> queue =
            new LinkedBlockingQueue<>(MAX_QUEUED_RESULTS);
    private final GroupCommitWriter<DeliveryResult> writer;

    /// Results that the database refused one by one, for a reason that is neither theirs nor known
    /// to pass.
    private final Queue<DeliveryResult> resting = new ConcurrentLinkedQueue<>();

    /// Used by the writer thread only.
    private long nextWakeNanos;

    /// Set before the writer thread starts.
    private ResultListener listener = (_, _) -> {};

    public ResultJournal(
            DedicatedConnection connection,
            PartitionStore partitions,
            LongSupplier epoch,
            Uuid7 ids,
            InstantSource clock) {
        this.connection = connection;
        this.partitions = partitions;
        this.epoch = epoch;
        this.ids = ids;
        this.clock = clock;
        writer = new GroupCommitWriter<>("results", queue::poll, connection, new ResultStep());
    }

    public void start(ResultListener resultListener) {
        listener = resultListener;
        writer.start();
    }

    /// Returns the number of results that wait for their commit.
    public int queued() {
        return queue.size();
    }

    @Override
    public void add(DeliveryResult result) throws InterruptedException {
        queue.put(result);
    }

    /// The writer's steps: a batch from the queue, and before it the results that rest.
    private final class ResultStep implements GroupCommitWriter.BatchStep<DeliveryResult> {

        @Override
        public void write(DeliveryResult first) throws InterruptedException {
            writeAll(batchFrom(first), false);
        }

        @Override
        public void beforePoll() throws InterruptedException {
            if (resting.isEmpty() || System.nanoTime() - nextWakeNanos < 0) {
                return;
            }
            nextWakeNanos = System.nanoTime() + REST_DURATION.toNanos();
            var awake = new ArrayList<DeliveryResult>();
            while (awake.size() < MAX_WOKEN_RESULTS && !resting.isEmpty()) {
                awake.add(resting.remove());
            }
            writeAll(awake, true);
        }
    }

    private List<DeliveryResult> batchFrom(DeliveryResult first) throws InterruptedException {
        if (queue.size() < MIN_BATCH_WITHOUT_LINGER) {
            boolean _ = writer.awaitClose(BATCH_LINGER_TIMEOUT);
        }
        var batch = new ArrayList<DeliveryResult>();
        batch.add(first);
        queue.drainTo(batch, MAX_BATCH_RESULTS - 1);
        return batch;
    }

    /// Tries until each result is written, given up or put to rest. Catches every exception,
    /// because no delivery would finish any more if this thread ended. The leak detector finds what
    /// a crash leaves, and it is sent again.
    ///
    /// @param isRested whether the results were refused before
    private void writeAll(List<DeliveryResult> batch, boolean isRested)
            throws InterruptedException {
        try {
            writeParts(batch, isRested);
        } catch (RuntimeException | Error e) {
            log.atError().addKeyValue("results", batch.size()).setCause(e).log("results.crashed");
            report(batch, List.of());
        }
    }

    /// The database may refuse the whole batch for now; then all of it waits. If it refuses a part
    /// for another reason, the part is halved until the result that is at fault is alone.
    private void writeParts(List<DeliveryResult> batch, boolean isRested)
            throws InterruptedException {
        var parts = new ArrayDeque<List<DeliveryResult>>();
        parts.add(batch);
        int failures = 0; // in a row
        while (!parts.isEmpty()) {
            var part = parts.remove();
            try {
                commit(part);
                failures = 0;
            } catch (RuntimeException | Error e) {
                log.atWarn()
                        .addKeyValue("results", part.size())
                        .setCause(e)
                        .log("results.commit_failed");
                boolean isNew = !isRested && part.size() == batch.size();
                switch (nextStep(part, e, failures, isNew)) {
                    case REPEAT -> parts.addFirst(part);
                    case HALVE -> {
                        int middle = part.size() / 2;
                        parts.addFirst(part.subList(middle, part.size()));
                        parts.addFirst(part.subList(0, middle));
                    }
                    case REST -> rest(part);
                    case GIVE_UP -> giveUp(part.getFirst(), e);
                }
                backOff(failures++);
            }
        }
    }

    private void rest(List<DeliveryResult> part) {
        if (resting.isEmpty()) {
            nextWakeNanos = System.nanoTime() + REST_DURATION.toNanos();
        }
        resting.addAll(part);
    }

    private enum NextStep {
        REPEAT,
        HALVE,
        REST,
        GIVE_UP
    }

    /// Decides what becomes of a part after a failed commit.
    ///
    /// @param failures number of failures in a row before this one
    /// @param isNew whether the part is a whole batch that the database did not refuse before
    private NextStep nextStep(List<DeliveryResult> part, Throwable e, int failures, boolean isNew) {
        if (e instanceof DbException refused && refused.isMissingPartition()) {
            partitions.makeMissing(part.stream().map(result -> result.delivery().id().value()));
            return judgeUnknown(part, failures, isNew);
        }
        var failure =
                e instanceof RuntimeException failed
                        ? writer.judge(failed, failures)
                        : DbFailure.BAD_ROW;
        return switch (failure) {
            case CONNECTION_LOST, PASSING -> NextStep.REPEAT;
            case DAMAGED, UNKNOWN -> judgeUnknown(part, failures, isNew);
            case BAD_ROW -> {
                if (failures == 0) {
                    yield NextStep.REPEAT;
                }
                yield part.size() > 1 ? NextStep.HALVE : NextStep.GIVE_UP;
            }
        };
    }

    private NextStep judgeUnknown(List<DeliveryResult> part, int failures, boolean isNew) {
        if (isNew && failures < GroupCommitWriter.MAX_UNKNOWN_REFUSALS) {
            return NextStep.REPEAT;
        }
        if (part.size() > 1) {
            return NextStep.HALVE;
        }
        return resting.size() < MAX_RESTING_RESULTS ? NextStep.REST : NextStep.REPEAT;
    }

    private void commit(List<DeliveryResult> part) {
        var effective =
                connection.call(tx ->
                        ResultStore.write(
                                tx, notDueInThePast(part), ids.next(), epoch.getAsLong()));
        writer.commits().succeeded();
        report(part, effective);
    }

    /// Tells the listener. Its failures are not the commit's: the results are written.
    private void report(List<DeliveryResult> written, List<DeliveryResult> effective) {
        try {
            listener.written(written, effective);
        } catch (RuntimeException e) {
            log.atError().addKeyValue("results", written.size()).setCause(e).log("results.crashed");
        }
    }

    /// The row stays in `delivery_work`, so the delivery is found and sent again.
    private void giveUp(DeliveryResult result, Throwable cause) {
        log.atError()
                .addKeyValue("delivery_id", result.delivery().id())
                .setCause(cause)
                .log("results.lost");
        report(List.of(result), List.of());
    }

    /// Changes due times in the past to the current time, because a result may have waited long for
    /// the database. `LaneReader` relies on never seeing a new due time in the past.
    private List<DeliveryResult> notDueInThePast(List<DeliveryResult> batch) {
        var now = clock.instant();
        return batch.stream().map(result -> result.notDueBefore(now)).toList();
    }

    /// Waits before the next try. `close` ends the wait early. After `close`, there is no wait
    /// between tries until the queue is empty.
    private void backOff(int failures) throws InterruptedException {
        if (writer.awaitClose(GroupCommitWriter.backoff(failures)) && failures > 5) {
            throw new InterruptedException("the database is unavailable while stopping");
        }
    }

    /// Whether commits fail again and again.
    public boolean isFailing() {
        return writer.commits().isLong();
    }

    /// Returns when all results are written, or when the database remains unavailable.
    @Override
    public void close() {
        writer.close();
        for (var result : resting) {
            log.atError().addKeyValue("delivery_id", result.delivery().id()).log("results.lost");
        }
    }
}
