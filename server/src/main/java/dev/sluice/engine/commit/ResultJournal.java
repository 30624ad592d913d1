package dev.sluice.engine.commit;

import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.id.Uuid7;

import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;

/// The [GroupCommit] of delivery results.
///
/// Results stay in memory until their commit is confirmed. After a failure they are written again,
/// which is safe because [ResultStore] ignores results that it has already written. While the
/// journal is running, it loses a result only because of a bug, or because the database can never
/// accept the result's row, for example because the row violates a constraint. The delivery is then
/// sent again. If the database refuses a result for an unknown reason, the result is set aside and
/// tried again later, so that it does not hold up other results.
///
/// `add` is thread-safe and blocks when the queue is full, for example during a long database
/// outage.
public final class ResultJournal implements ResultQueue, AutoCloseable {

    private static final int MAX_QUEUED_RESULTS = 20_000;

    private final WaitingResults queue = new WaitingResults(MAX_QUEUED_RESULTS);
    private final ResultBatch type = new ResultBatch();
    private final GroupCommit<DeliveryResult> commit;

    /// @param epoch returns this node's epoch (see [dev.sluice.engine.Lease]); called for each
    ///   batch
    public ResultJournal(
            DedicatedConnection connection,
            PartitionStore partitions,
            LongSupplier epoch,
            Uuid7 ids,
            InstantSource clock) {
        commit =
                new GroupCommit<>(
                        "results",
                        queue,
                        new ResultTables(connection, partitions, ids, clock),
                        type,
                        epoch,
                        GroupCommit.CommitTimer.SYSTEM);
    }

    private record ResultTables(
            DedicatedConnection connection,
            PartitionStore partitions,
            Uuid7 ids,
            InstantSource clock)
            implements GroupCommit.BatchStore<DeliveryResult> {

        /// Changes due times in the past to the current time, because a result may have been
        /// waiting for the database for a long time. `LaneReader` relies on the rule that a due
        /// time is never in the past when it is written.
        @Override
        public List<DeliveryResult> write(List<DeliveryResult> results, long epoch) {
            var now = clock.instant();
            var due = results.stream().map(result -> result.notDueBefore(now)).toList();
            return connection.call(tx -> ResultStore.writeLast(tx, due, ids.next(), epoch));
        }

        @Override
        public List<DeliveryResult> stored(List<DeliveryResult> results) {
            throw new UnsupportedOperationException("results are written again");
        }

        @Override
        public void makeDays(List<UUID> ids) {
            partitions.makeMissing(ids.stream());
        }

        @Override
        public boolean isAnswering() {
            return connection.isAnswering();
        }

        @Override
        public void close() {
            connection.close();
        }
    }

    public void start(ResultListener listener) {
        type.tell(listener);
        commit.start();
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

    /// Whether commits keep failing.
    public boolean isFailing() {
        return commit.commits().isLong();
    }

    /// Waits up to four seconds for the writer to write all queued results. If any results are
    /// still set aside after that, logs them as lost. Their deliveries are found in the database
    /// and sent again.
    @Override
    public void close() {
        commit.close();
        commit.resting().forEach(ResultBatch::logLost);
    }
}
