package dev.sluice.engine.commit;

import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.DbFailure;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.id.Uuid7;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

/// Writes delivery results in group commits, as [Journal] does for events.
///
/// Results stay in memory until their commit is confirmed. After a failure they are written again,
/// which is safe because [ResultStore] ignores results that it has already written. While the
/// journal is running, it loses a result only because of a bug, or because the database can never
/// accept the result's row, for example because the row violates a constraint. The delivery is then
/// sent again. If the database refuses a result for an unknown reason, the result is set aside and
/// tried again later, so that it does not hold up other results.
///
/// A single thread writes the results. `add` is thread-safe and blocks when the queue is full, for
/// example during a long database outage.
public final class ResultJournal implements ResultQueue, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ResultJournal.class);

    private static final int MAX_QUEUED_RESULTS = 20_000;
    private static final int MAX_BATCH_RESULTS = 512;

    /// Once this many results are set aside, the writer sets no more aside. It then retries a
    /// refused result until the result is written.
    private static final int MAX_RESTING_RESULTS = 10_000;

    /// The maximum number of set-aside results that are tried again in one batch.
    private static final int MAX_WOKEN_RESULTS = 64;

    private static final Duration REST_DURATION = Duration.ofSeconds(5);

    private final DedicatedConnection connection;
    private final MissingPartitions missingPartitions;
    private final LongSupplier epoch;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final WaitingResults queue = new WaitingResults(MAX_QUEUED_RESULTS);
    private final GroupCommitWriter<DeliveryResult> writer;

    /// The results that are set aside because the database refused them for an unknown reason. A
    /// result is set aside alone, or together with the other results for a day whose partition
    /// cannot be created.
    private final Queue<DeliveryResult> resting = new ConcurrentLinkedQueue<>();

    /// When the writer next tries the results that are set aside. Used only by the writer thread.
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
        this.missingPartitions = new MissingPartitions(partitions);
        this.epoch = epoch;
        this.ids = ids;
        this.clock = clock;
        writer = new GroupCommitWriter<>("results", queue, connection, new ResultStep());
    }

    public void start(ResultListener resultListener) {
        listener = resultListener;
        writer.start();
    }

    /// Returns the number of queued results, not counting those that are being committed or are set
    /// aside.
    public int queued() {
        return queue.size();
    }

    @Override
    public void add(DeliveryResult result, boolean isAwaited) throws InterruptedException {
        queue.put(result, isAwaited);
    }

    /// Writes a batch from the queue. Before each poll of the queue, retries some of the set-aside
    /// results if their next try is due.
    private final class ResultStep implements GroupCommitWriter.BatchStep<DeliveryResult> {

        @Override
        public void write(DeliveryResult first) throws InterruptedException {
            writeAll(queue.batchFrom(first, MAX_BATCH_RESULTS), false);
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

    /// Retries until each result is written, given up on, or set aside for later. Catches every
    /// exception, because no delivery could finish if this thread ended. If writing crashes, the
    /// deliveries stay unfinished in the database, where they are found and sent again.
    ///
    /// @param isRested whether these results were set aside after an earlier refusal
    private void writeAll(List<DeliveryResult> batch, boolean isRested)
            throws InterruptedException {
        try {
            writeParts(batch, isRested);
        } catch (RuntimeException | Error e) {
            log.atError().addKeyValue("results", batch.size()).setCause(e).log("results.crashed");
            report(batch, List.of());
        }
    }

    /// Writes the batch. The whole batch waits while the database is temporarily unavailable. If
    /// the database refuses a part of the batch for another reason, that part is halved repeatedly
    /// until the result at fault has been isolated.
    private void writeParts(List<DeliveryResult> batch, boolean isRested)
            throws InterruptedException {
        var parts = new ArrayDeque<List<DeliveryResult>>();
        parts.add(batch);
        int failures = 0; // in a row
        int missing = 0; // of these, because of a missing partition
        while (!parts.isEmpty()) {
            var part = parts.remove();
            try {
                commit(part);
                failures = 0;
                missing = 0;
            } catch (RuntimeException | Error e) {
                log.atWarn()
                        .addKeyValue("results", part.size())
                        .setCause(e)
                        .log("results.commit_failed");
                boolean isNew = !isRested && part.size() == batch.size();
                var failure =
                        e instanceof RuntimeException failed
                                ? writer.judge(failed, failures)
                                : DbFailure.BAD_ROW;
                boolean isMissing =
                        e instanceof DbException refused && refused.isMissingPartition();
                var step =
                        isMissing
                                ? judgeMissingPartition(part, missing++, isNew)
                                : nextStep(part, failure, failures, isNew);
                switch (step) {
                    case REPEAT -> parts.addFirst(part);
                    case HALVE -> {
                        int middle = part.size() / 2;
                        parts.addFirst(part.subList(middle, part.size()));
                        parts.addFirst(part.subList(0, middle));
                    }
                    case SPLIT_DAYS -> {
                        daysOf(part).reversed().forEach(parts::addFirst);
                        missing = 0;
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
        part.forEach(result -> resting.add(result.withShortBody()));
    }

    private enum NextStep {
        REPEAT,
        HALVE,
        SPLIT_DAYS,
        REST,
        GIVE_UP
    }

    /// Decides how to continue with a part of a batch after a failed commit.
    ///
    /// @param failures the number of failures in a row before this one
    /// @param isNew whether the part is a whole batch that was not set aside earlier
    private NextStep nextStep(
            List<DeliveryResult> part, DbFailure failure, int failures, boolean isNew) {
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

    /// Decides how to continue after a partition was missing. All results of a day whose partition
    /// cannot be created are set aside together, because none of them can be written and halving
    /// would take as many commits as there are results.
    ///
    /// @param failures how many earlier commits of the part failed because of a missing partition
    private NextStep judgeMissingPartition(List<DeliveryResult> part, int failures, boolean isNew) {
        var ids = part.stream().map(result -> result.delivery().id().value()).toList();
        if (missingPartitions.repair(ids, failures, !isNew)) {
            return NextStep.REPEAT;
        }
        if (daysOf(part).size() > 1) {
            return NextStep.SPLIT_DAYS;
        }
        missingPartitions.giveUp(ids.getFirst());
        return restOrRepeat();
    }

    private static List<List<DeliveryResult>> daysOf(List<DeliveryResult> part) {
        return MissingPartitions.byDay(part, result -> result.delivery().id().value());
    }

    private NextStep judgeUnknown(List<DeliveryResult> part, int failures, boolean isNew) {
        if (isNew && failures < GroupCommitWriter.MAX_UNKNOWN_REFUSALS) {
            return NextStep.REPEAT;
        }
        if (part.size() > 1) {
            return NextStep.HALVE;
        }
        return restOrRepeat();
    }

    private NextStep restOrRepeat() {
        return resting.size() < MAX_RESTING_RESULTS ? NextStep.REST : NextStep.REPEAT;
    }

    private void commit(List<DeliveryResult> part) {
        var effective =
                connection.call(tx ->
                        ResultStore.writeLast(
                                tx, notDueInThePast(part), ids.next(), epoch.getAsLong()));
        writer.commits().succeeded();
        report(part, effective);
    }

    /// Reports results to the listener. An exception from the listener cannot undo the commit, so
    /// it is only logged.
    private void report(List<DeliveryResult> written, List<DeliveryResult> effective) {
        try {
            listener.written(written, effective);
        } catch (RuntimeException e) {
            log.atError().addKeyValue("results", written.size()).setCause(e).log("results.crashed");
        }
    }

    /// Gives up on a result. The delivery's row stays in `delivery_work`, so the delivery is found
    /// there and sent again.
    private void giveUp(DeliveryResult result, Throwable cause) {
        log.atError()
                .addKeyValue("delivery_id", result.delivery().id())
                .setCause(cause)
                .log("results.lost");
        report(List.of(result), List.of());
    }

    /// Changes due times in the past to the current time, because a result may have been waiting
    /// for the database for a long time. `LaneReader` relies on the rule that a due time is never
    /// in the past when it is written.
    private List<DeliveryResult> notDueInThePast(List<DeliveryResult> batch) {
        var now = clock.instant();
        return batch.stream().map(result -> result.notDueBefore(now)).toList();
    }

    /// Waits before the next try. [#close] ends the wait early. After `close`, there is no wait
    /// between tries, and the seventh failure in a row ends the writer.
    private void backOff(int failures) throws InterruptedException {
        if (writer.awaitClose(GroupCommitWriter.backoff(failures)) && failures > 5) {
            throw new InterruptedException("the database is unavailable while stopping");
        }
    }

    /// Whether commits keep failing.
    public boolean isFailing() {
        return writer.commits().isLong();
    }

    /// Waits up to four seconds for the writer to write all queued results or to give up. If any
    /// results are still set aside after that, logs them as lost. Their deliveries are found in the
    /// database and sent again.
    @Override
    public void close() {
        writer.close();
        for (var result : resting) {
            log.atError().addKeyValue("delivery_id", result.delivery().id()).log("results.lost");
        }
    }
}
