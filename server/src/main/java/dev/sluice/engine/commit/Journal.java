package dev.sluice.engine.commit;

import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.DbFailure;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Chore;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// A group commit of accepted events: the events that are queued during one commit are written
/// together in the next transaction, up to a limit. An event's sender gets a success response only
/// after the commit has been flushed to disk.
///
/// If the connection breaks during a commit, it is unknown whether the transaction was committed.
/// The journal then looks for the batch in the database, and writes it again, with the same ids,
/// only if it is missing. If an event's deadline passes in the meantime, the journal refuses the
/// event and does not write it again.
///
/// A single thread does the writing. The queue and each batch are limited by the cost of their
/// events ([AcceptedEvent#queueCostBytes]). An event's cost covers both the memory that it takes
/// and the rows that are written for it. The queue is shared fairly among workspaces and sources
/// ([JournalQueue]). Heavy events, which have a large payload or many deliveries, are committed in
/// separate batches. Light events wait for at most one such commit. While light events are
/// arriving, committing heavy events normally takes at most a third of the writer's time
/// ([HeavyRest]). `offer` is thread-safe.
public final class Journal implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Journal.class);

    static final long MAX_QUEUED_BYTES = Math.min(128L << 20, Runtime.getRuntime().maxMemory() / 8);
    private static final int MAX_BATCH_EVENTS = 512;

    /// A batch that costs at least this much gets no more events. The limit is equivalent to about
    /// 2,000 rows. It bounds how long an event waits while the previous batch is written.
    static final int MAX_BATCH_BYTES = 2 << 20;

    /// The limit for a batch of heavy events. It is lower than [#MAX_BATCH_BYTES] because light
    /// events also wait for such a batch. Two events with a thousand deliveries each never share a
    /// batch.
    static final int MAX_HEAVY_BATCH_BYTES = 1 << 19;

    /// After this many consecutive failures to look up events in the database, the journal gives up
    /// at the next failure that is not temporary.
    private static final int MAX_FIND_FAILURES = 8;

    /// How long [#isFailing] may return true after the last failed commit while no event is
    /// waiting. This is needed for batches whose partitions cannot be created: such a batch is
    /// refused immediately, so its events wait only for a moment.
    private static final Duration FAILURE_MEMORY = Duration.ofSeconds(30);

    private static final Duration OVERDUE_CHECK_INTERVAL = Duration.ofMillis(500);

    private final DedicatedConnection connection;
    private final MissingPartitions missingPartitions;
    private final LongSupplier epoch;
    private final Uuid7 ids;
    private final InstantSource clock;

    private final JournalQueue queue = new JournalQueue(MAX_QUEUED_BYTES);

    /// The events that the writer thread is committing; empty between commits. Set by the writer
    /// thread, read by `refuseOverdue`.
    private volatile List<AcceptedEvent> writing = List.of();

    /// Used only by the writer thread, like `linger`.
    private final EventStore store = new EventStore();

    private final BatchLinger linger = new BatchLinger();

    /// The number of senders that may be waiting, taken when this round's first events are
    /// acknowledged; 0 until then. Used only by the writer thread.
    private int senders;

    private final GroupCommitWriter<AcceptedEvent> writer;

    /// Set before the writer thread starts.
    private @Nullable JournalListener listener;

    /// @param epoch returns this node's epoch (see [dev.sluice.engine.Lease]); called for each
    ///   batch
    public Journal(
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
        writer = new GroupCommitWriter<>("journal", queue, connection, this::write);
    }

    public void start(JournalListener journalListener) {
        listener = journalListener;
        writer.start();
    }

    /// Returns the chore that refuses events at their deadlines. The chore must start before the
    /// first `offer` and stop after [#close].
    public Chore overdueChore() {
        return new Chore("journal overdue", OVERDUE_CHECK_INTERVAL, this::refuseOverdue).steady();
    }

    /// Queues an event. Returns false if the queue has no room for the event or the journal is
    /// closing; the event is then not stored and the listener is not called.
    public boolean offer(AcceptedEvent event) {
        return !writer.isClosing() && queue.offer(event);
    }

    /// Returns the number of queued events, not counting those that are being committed.
    public int queued() {
        return queue.size();
    }

    private JournalListener listener() {
        return Objects.requireNonNull(listener, "not started");
    }

    private void write(AcceptedEvent first) throws InterruptedException {
        lingerIfBusy(writeBatch(first));
    }

    /// Under load, waits between two batches, so that more events share the cost of a commit.
    private void lingerIfBusy(int lastBatch) throws InterruptedException {
        int queued = queue.size();
        if (!writer.isClosing() && BatchLinger.isUseful(lastBatch, queued, queue.bytes())) {
            long begun = System.nanoTime();
            queue.awaitSize(senders, linger.length());
            linger.paused(begun, queue.lastArrival());
        }
    }

    /// Writes one batch of light events, then one of heavy events if any may be written. If only
    /// heavy events are waiting, writes one batch of them. Light events that arrive during a commit
    /// of heavy events are therefore committed before the next heavy events. Returns the number of
    /// events in the batches written.
    private int writeBatch(AcceptedEvent first) throws InterruptedException {
        senders = 0;
        if (JournalQueue.isHeavy(first)) {
            return writeHeavyBatch(first);
        }
        int events = writeBatch(first, queue::pollLight, MAX_BATCH_BYTES);
        queue.wroteLight();
        var heavy = queue.pollHeavy();
        return heavy == null ? events : events + writeHeavyBatch(heavy);
    }

    private int writeHeavyBatch(AcceptedEvent first) throws InterruptedException {
        long begun = System.nanoTime();
        int events = writeBatch(first, queue::pollHeavy, MAX_HEAVY_BATCH_BYTES);
        queue.wroteHeavy(begun);
        return events;
    }

    private int writeBatch(
            AcceptedEvent first, Supplier<@Nullable AcceptedEvent> poll, long maxBytes)
            throws InterruptedException {
        var events = new ArrayList<AcceptedEvent>();
        long bytes = 0;
        for (AcceptedEvent next = first;
                next != null;
                next = events.size() < MAX_BATCH_EVENTS && bytes < maxBytes ? poll.get() : null) {
            bytes += next.queueCostBytes();
            events.add(next);
        }
        writing = events;
        commitOrRefuse(events);
        writing = List.of();
        return events.size();
    }

    /// Commits the events, and refuses them if that crashes. Catches every exception, because no
    /// more events could be stored if this thread ended.
    private void commitOrRefuse(List<AcceptedEvent> events) throws InterruptedException {
        try {
            commit(events, OptionalLong.empty(), false);
        } catch (RuntimeException | Error e) {
            log.atError().addKeyValue("events", events.size()).setCause(e).log("journal.crashed");
            refuse(events);
        }
    }

    private void drop(AcceptedEvent event) {
        if (event.receipt().markDropped()) {
            listener().dropped(event);
        }
    }

    /// Retries until the events are stored or refused. While the database is temporarily
    /// unavailable, the writer waits, and senders still get a response at their events' deadlines.
    /// If the database rejects the batch itself, the writer splits the batch in half repeatedly, so
    /// that in the end only the bad event is refused. For a missing partition, see [#commitDays].
    ///
    /// @param earlierEpoch this node's epoch during an earlier commit of these events whose outcome
    ///   is unknown; empty if there was none
    /// @param isHalf whether the events are part of a batch that the database refused
    private void commit(List<AcceptedEvent> events, OptionalLong earlierEpoch, boolean isHalf)
            throws InterruptedException {
        var remaining = events;
        var late =
                // Events that were refused while it was unknown whether they were stored.
                new ArrayList<AcceptedEvent>();
        var inDoubt = earlierEpoch;
        long owner = epoch.getAsLong();
        int missingPartitionFailures = 0;
        for (int failures = 0; !remaining.isEmpty(); failures++) {
            try {
                if (inDoubt.isPresent() && isStored(remaining.getFirst())) {
                    owner = inDoubt.getAsLong();
                    break;
                }
                remaining = withoutRefused(remaining, inDoubt.isPresent() ? late::add : this::drop);
                owner = epoch.getAsLong();
                writeOnce(remaining, owner);
                break;
            } catch (RuntimeException e) {
                if (e instanceof DbException known && known.isDuplicate() && inDoubt.isPresent()) {
                    owner = inDoubt.getAsLong();
                    break; // the first commit succeeded, but is visible only now
                }
                log.atWarn()
                        .addKeyValue("events", remaining.size())
                        .setCause(e)
                        .log("journal.commit_failed");
                if (e instanceof DbException lost && lost.isConnectionLost() && inDoubt.isEmpty()) {
                    inDoubt = OptionalLong.of(owner);
                }
                var kind = writer.judge(e, failures);
                if (e instanceof DbException refused && refused.isMissingPartition()) {
                    var missing = remaining.stream().map(event -> event.id().value()).toList();
                    if (!missingPartitions.repair(missing, missingPartitionFailures++, isHalf)) {
                        commitDays(remaining, inDoubt, e);
                        remaining = List.of();
                        break;
                    }
                } else if (failures >= maxFailures(kind, isHalf)) {
                    commitHalves(remaining, inDoubt, e);
                    remaining = List.of();
                    break;
                }
                writer.sleep(GroupCommitWriter.backoff(failures));
            }
        }
        acknowledge(remaining, owner);
        resolveInDoubt(late, inDoubt.orElse(owner));
    }

    /// Returns how many times a batch must already have failed before a failure of this kind causes
    /// it to be split.
    ///
    /// @param isHalf whether the events are part of a batch that the database refused
    private static int maxFailures(DbFailure kind, boolean isHalf) {
        return switch (kind) {
            case BAD_ROW -> 1;
            case DAMAGED, UNKNOWN -> isHalf ? 1 : GroupCommitWriter.MAX_UNKNOWN_REFUSALS;
            case CONNECTION_LOST, PASSING -> Integer.MAX_VALUE;
        };
    }

    /// Called when a day's partition is missing and cannot be created. Writes the events from each
    /// day separately. If all events are from the same day, refuses them all. The batch is not
    /// halved, because none of its events can be stored and halving would take as many commits as
    /// there are events.
    private void commitDays(
            List<AcceptedEvent> events, OptionalLong earlierEpoch, RuntimeException cause)
            throws InterruptedException {
        var days = MissingPartitions.byDay(events, event -> event.id().value());
        if (days.size() > 1) {
            for (var day : days) {
                commit(day, earlierEpoch, true);
            }
            return;
        }
        missingPartitions.giveUp(events.getFirst().id().value());
        log.atError()
                .addKeyValue("events", events.size())
                .addKeyValue("event_id", events.getFirst().id())
                .setCause(cause)
                .log("journal.day_refused");
        refuse(events, earlierEpoch);
    }

    /// Settles events that were refused while it was unknown whether they were stored: acknowledges
    /// the events that are in the database and drops the rest.
    private void resolveInDoubt(List<AcceptedEvent> late, long owner) throws InterruptedException {
        List<AcceptedEvent> stored = List.of();
        for (int failures = 0; !late.isEmpty(); failures++) {
            try {
                stored =
                        connection.call(tx ->
                                late.stream()
                                        .filter(event -> EventStore.isStored(tx, event))
                                        .toList());
                break;
            } catch (DbException e) {
                if (!e.failure().isPassing() && failures >= MAX_FIND_FAILURES) {
                    throw e;
                }
                log.atWarn()
                        .addKeyValue("events", late.size())
                        .setCause(e)
                        .log("journal.find_failed");
                writer.sleep(GroupCommitWriter.backoff(failures));
            }
        }
        acknowledge(stored, owner);
        for (var event : late) {
            if (!stored.contains(event)) {
                drop(event);
            }
        }
    }

    /// Writes the two halves of a batch that the database refused. If the batch is a single event,
    /// refuses it, so that its sender can send it again.
    private void commitHalves(
            List<AcceptedEvent> events, OptionalLong earlierEpoch, RuntimeException cause)
            throws InterruptedException {
        if (events.size() == 1) {
            log.atError()
                    .addKeyValue("event_id", events.getFirst().id())
                    .setCause(cause)
                    .log("journal.event_refused");
            refuse(events, earlierEpoch);
            return;
        }
        int middle = events.size() / 2;
        commit(events.subList(0, middle), earlierEpoch, true);
        commit(events.subList(middle, events.size()), earlierEpoch, true);
    }

    /// Refuses events that the database does not accept. An event is acknowledged instead if it
    /// turns out that an earlier commit, whose outcome was unknown, has stored it.
    private void refuse(List<AcceptedEvent> events, OptionalLong earlierEpoch)
            throws InterruptedException {
        if (earlierEpoch.isEmpty()) {
            refuse(events);
            return;
        }
        events.forEach(event -> event.receipt().decide(Receipt.ReceiptState.REFUSED));
        resolveInDoubt(events, earlierEpoch.getAsLong());
    }

    private void writeOnce(List<AcceptedEvent> events, long owner) {
        if (!events.isEmpty()) {
            store.write(connection, events, ids.next(), owner, clock.instant());
            writer.commits().succeeded();
        }
    }

    private boolean isStored(AcceptedEvent event) {
        return connection.call(tx -> EventStore.isStored(tx, event));
    }

    /// Acknowledges stored events. An event may already have been refused at its deadline, and its
    /// sender may send it again. The stored event is delivered anyway.
    private void acknowledge(List<AcceptedEvent> stored, long owner) {
        if (stored.isEmpty()) {
            return;
        }
        if (senders == 0) {
            senders = BatchLinger.senders(stored.size(), queue.size());
        }
        for (var event : stored) {
            event.receipt().decide(Receipt.ReceiptState.STORED);
        }
        listener().stored(stored, owner);
    }

    /// Passes the events that were refused at their deadline to `refused`, because they must no
    /// longer be written. Returns the other events.
    private static List<AcceptedEvent> withoutRefused(
            List<AcceptedEvent> events, Consumer<AcceptedEvent> refused) {
        var remaining = new ArrayList<AcceptedEvent>(events.size());
        for (var event : events) {
            if (event.receipt().isRefused()) {
                refused.accept(event);
            } else {
                remaining.add(event);
            }
        }
        return remaining;
    }

    /// Refuses and drops the events, except those already marked as stored.
    private void refuse(List<AcceptedEvent> events) {
        for (var event : events) {
            event.receipt().decide(Receipt.ReceiptState.REFUSED);
            if (event.receipt().isRefused()) {
                drop(event);
            }
        }
    }

    /// Refuses events that are past their deadlines, whether they are queued or being written. Runs
    /// every [#OVERDUE_CHECK_INTERVAL].
    private boolean refuseOverdue() {
        long now = System.nanoTime();
        queue.refuseOverdue(now);
        for (var event : writing) {
            if (event.receipt().isOverdue(now)) {
                event.receipt().decide(Receipt.ReceiptState.REFUSED);
            }
        }
        return false;
    }

    /// Whether commits keep failing. Without events, there are no commits that could show that the
    /// database works again. If no event is waiting, this method therefore returns false once
    /// [#FAILURE_MEMORY] has passed since the last failure.
    public boolean isFailing() {
        boolean isWaiting = !writing.isEmpty() || queue.size() > 0;
        return writer.commits().isLong()
                && (isWaiting || writer.commits().hasFailedWithin(FAILURE_MEMORY));
    }

    /// Stops accepting events. Waits up to four seconds for all queued events to be stored or
    /// refused.
    @Override
    public void close() {
        writer.close();
    }
}
