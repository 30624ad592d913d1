package dev.sluice.engine.commit;

import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Chore;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;

/// The [GroupCommit] of accepted events. An event's sender gets a success response only after the
/// commit has been flushed to disk. If an event's deadline passes before that, the journal refuses
/// the event and does not write it any more.
///
/// The queue and each batch are limited by the cost of their events
/// ([AcceptedEvent#queueCostBytes]). An event's cost covers both the memory that it takes and the
/// rows that are written for it. The queue is shared fairly among workspaces and sources
/// ([JournalQueue]). Heavy events, which have a large payload or many deliveries, are committed in
/// separate batches ([WaitingEvents]). Light events wait for at most one such commit. While light
/// events are arriving, committing heavy events normally takes at most a third of the writer's time
/// ([HeavyRest]). `offer` is thread-safe.
public final class Journal implements AutoCloseable {

    static final long MAX_QUEUED_BYTES = Math.min(128L << 20, Runtime.getRuntime().maxMemory() / 8);

    /// How long [#isFailing] may return true after the last failed commit while no event is
    /// waiting. This is needed for batches whose partitions cannot be created: such a batch is
    /// refused immediately, so its events wait only for a moment.
    private static final Duration FAILURE_MEMORY = Duration.ofSeconds(30);

    private static final Duration OVERDUE_CHECK_INTERVAL = Duration.ofMillis(500);

    private final JournalQueue queue = new JournalQueue(MAX_QUEUED_BYTES);
    private final EventBatch type = new EventBatch();
    private final GroupCommit<AcceptedEvent> commit;

    /// @param epoch returns this node's epoch (see [dev.sluice.engine.Lease]); called for each
    ///   batch
    public Journal(
            DedicatedConnection connection,
            PartitionStore partitions,
            LongSupplier epoch,
            Uuid7 ids,
            InstantSource clock) {
        commit =
                new GroupCommit<>(
                        "journal",
                        new WaitingEvents(queue),
                        new EventTables(connection, partitions, new EventStore(), ids, clock),
                        type,
                        epoch,
                        GroupCommit.CommitTimer.SYSTEM);
    }

    private record EventTables(
            DedicatedConnection connection,
            PartitionStore partitions,
            EventStore store,
            Uuid7 ids,
            InstantSource clock)
            implements GroupCommit.BatchStore<AcceptedEvent> {

        @Override
        public List<AcceptedEvent> write(List<AcceptedEvent> events, long epoch) {
            store.write(connection, events, ids.next(), epoch, clock.instant());
            return events;
        }

        @Override
        public List<AcceptedEvent> stored(List<AcceptedEvent> events) {
            return connection.call(
                    tx -> events.stream().filter(event -> EventStore.isStored(tx, event)).toList());
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

    public void start(JournalListener listener) {
        type.tell(listener);
        commit.start();
    }

    /// Returns the chore that refuses events at their deadlines. The chore must start before the
    /// first `offer` and stop after [#close].
    public Chore overdueChore() {
        return new Chore("journal overdue", OVERDUE_CHECK_INTERVAL, this::refuseOverdue).steady();
    }

    /// Queues an event. Returns false if the queue has no room for the event or the journal is
    /// closing; the event is then not stored and the listener is not called.
    public boolean offer(AcceptedEvent event) {
        return !commit.isClosing() && queue.offer(event);
    }

    /// Returns the number of queued events, not counting those that are being committed.
    public int queued() {
        return queue.size();
    }

    /// Refuses events that are past their deadlines, whether they are queued or being written. Runs
    /// every [#OVERDUE_CHECK_INTERVAL].
    private boolean refuseOverdue() {
        long now = System.nanoTime();
        queue.refuseOverdue(now);
        EventBatch.refuseOverdue(commit.writing(), now);
        return false;
    }

    /// Whether commits keep failing. Without events, there are no commits that could show that the
    /// database works again. If no event is waiting, this method therefore returns false once
    /// [#FAILURE_MEMORY] has passed since the last failure.
    public boolean isFailing() {
        boolean isWaiting = !commit.writing().isEmpty() || queue.size() > 0;
        return commit.commits().isLong()
                && (isWaiting || commit.commits().hasFailedWithin(FAILURE_MEMORY));
    }

    /// Stops accepting events. Waits up to four seconds for all queued events to be stored or
    /// refused.
    @Override
    public void close() {
        commit.close();
    }
}
