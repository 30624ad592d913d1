package dev.sluice.relay.journal;

import dev.sluice.platform.db.DbException;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongSupplier;

/// A group commit of delivery results, as the [Journal] is for events.
///
/// Results stay in memory until their commit is confirmed. After a lost connection they are written
/// again, which is safe because [ResultStore] ignores results that it has already written. One
/// thread writes. `add` is thread-safe and blocks when the queue is full, for example during a long
/// database outage.
public final class ResultJournal implements ResultQueue, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ResultJournal.class);

    private static final int MAX_QUEUED_RESULTS = 20_000;
    private static final int MAX_BATCH_RESULTS = 512;

    /// A batch of at least this many results is written at once. For a smaller batch, the writer
    /// waits up to [#BATCH_LINGER_TIMEOUT] for more results.
    private static final int MIN_BATCH_WITHOUT_LINGER = 64;

    private static final Duration BATCH_LINGER_TIMEOUT = Duration.ofMillis(4);

    private final DedicatedConnection connection;
    private final PartitionStore partitions;
    private final LongSupplier epoch;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final BlockingQueue<DeliveryResult> queue =
            new LinkedBlockingQueue<>(MAX_QUEUED_RESULTS);
    private final GroupCommitWriter<DeliveryResult> writer;

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
        writer = new GroupCommitWriter<>("results", queue::poll, connection, this::write);
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

    private void write(DeliveryResult first) throws InterruptedException {
        commitOrAbandon(batchFrom(first));
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

    /// Catches every exception, because no delivery would finish any more if this thread ended. The
    /// leak detector finds the deliveries of a failed batch, and they are sent again.
    private void commitOrAbandon(List<DeliveryResult> batch) throws InterruptedException {
        try {
            commit(batch);
        } catch (RuntimeException | Error e) {
            log.atError().addKeyValue("results", batch.size()).setCause(e).log("results.crashed");
            listener.written(batch, List.of());
        }
    }

    /// Tries until the commit is confirmed. If the database rejects the batch itself, writes its
    /// results one by one, so that one bad result does not block the others.
    private void commit(List<DeliveryResult> batch) throws InterruptedException {
        for (int failures = 0; ; failures++) {
            try {
                listener.written(
                        batch,
                        connection.call(tx ->
                                ResultStore.write(
                                        tx,
                                        notDueInThePast(batch),
                                        ids.next(),
                                        epoch.getAsLong())));
                return;
            } catch (DbException e) {
                log.atWarn()
                        .addKeyValue("results", batch.size())
                        .setCause(e)
                        .log("results.commit_failed");
                if (e.isMissingPartition()) {
                    partitions.makeMissing(
                            batch.stream().map(result -> result.delivery().id().value()));
                }
                boolean isDatabaseFault = e.isConnectionLost() || e.isOutOfResources();
                if (failures >= (isDatabaseFault ? e.failuresBeforeSuspect() : 1)) {
                    commitOneByOne(batch);
                    return;
                }
                backOff(failures);
            }
        }
    }

    /// Changes due times in the past to the current time, because a result may have waited long for
    /// the database. `LaneReader` relies on never seeing a new due time in the past.
    private List<DeliveryResult> notDueInThePast(List<DeliveryResult> batch) {
        var now = clock.instant();
        return batch.stream().map(result -> result.notDueBefore(now)).toList();
    }

    private void commitOneByOne(List<DeliveryResult> batch) throws InterruptedException {
        if (batch.size() == 1) {
            log.atError()
                    .addKeyValue("delivery_id", batch.getFirst().delivery().id())
                    .log("results.lost");
            listener.written(batch, List.of());
            return; // the row stays in `delivery_work`, so the delivery is found and sent again
        }
        for (var result : batch) {
            commit(List.of(result));
        }
    }

    /// Waits before the next try. `close` ends the wait early. After `close`, there is no wait
    /// between tries until the queue is empty.
    private void backOff(int failures) throws InterruptedException {
        if (writer.awaitClose(GroupCommitWriter.backoff(failures)) && failures > 5) {
            throw new InterruptedException("the database is unavailable while stopping");
        }
    }

    /// Returns when all results are written, or when the database remains unavailable.
    @Override
    public void close() {
        writer.close();
    }
}
