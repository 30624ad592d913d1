package dev.sluice.relay.store;

import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Line;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// The way of events into the database: a group commit. What was queued since the last one was
/// taken goes into the next transaction together; a sender is told of success only after the commit
/// was flushed.
///
/// When a connection breaks it is not known whether its transaction was committed. The batch is
/// then looked for, and written again with the same ids only if it is not there. What passes its
/// deadline meanwhile is refused and never written after that.
///
/// One thread writes. Queue and bytes are bounded: beyond them `offer` says no.
public final class Journal implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Journal.class);

    private static final int MOST_QUEUED = 16_384;
    private static final long MOST_QUEUED_BYTES =
            Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8);
    private static final int MOST_EVENTS = 512;
    private static final int MOST_BYTES = 8 << 20;

    /// Larger ones are committed apart, so that small ones need not wait for them.
    private static final int LARGE = 128 << 10;

    /// What a stop waits for the database at most.
    private static final Duration STOP = Duration.ofSeconds(4);

    /// A batch of so many says that more are on their way.
    private static final int COMPANY = 8;

    /// So many in the queue, or so many bytes, are enough for the next batch.
    private static final int ENOUGH = 64;

    private static final int ENOUGH_BYTES = 1 << 20;
    private static final Duration LINGER = Duration.ofMillis(2);

    /// How often a database that answers may refuse to say whether events are stored.
    private static final int FIND_PATIENCE = 8;

    private static final Duration OVERDUE_LOOK = Duration.ofMillis(250);

    private final Line line;
    private final Partitions partitions;
    private final LongSupplier epoch;
    private final Uuid7 ids;
    private final InstantSource clock;

    private final BlockingQueue<Accepted> queue = new LinkedBlockingQueue<>(MOST_QUEUED);
    private final AtomicLong queuedBytes = new AtomicLong();

    /// Written by the writing thread: what it is about to commit, for the look at overdue ones.
    private volatile List<Accepted> writing = List.of();

    /// Of the writing thread.
    private final EventStore store = new EventStore();

    private volatile boolean closing;

    /// Nobody counts it down: a rest that only an interrupt ends early.
    private final CountDownLatch interrupted = new CountDownLatch(1);

    private final Thread writer =
            Thread.ofPlatform().name("journal").daemon().unstarted(this::write);

    /// Both set before the writing thread starts.
    private @Nullable JournalListener listener;

    private @Nullable Loop overdue;

    /// @param epoch this node's, asked for each batch
    public Journal(
            Line line, Partitions partitions, LongSupplier epoch, Uuid7 ids, InstantSource clock) {
        this.line = line;
        this.partitions = partitions;
        this.epoch = epoch;
        this.ids = ids;
        this.clock = clock;
    }

    public void start(JournalListener told) {
        listener = told;
        writer.start();
        overdue = Loop.start("journal overdue", OVERDUE_LOOK, this::refuseOverdue);
    }

    /// Hands an event over. False when there is no room: it is not kept then, and nobody is told.
    public boolean offer(Accepted event) {
        int size = event.payload().size();
        if (closing || queuedBytes.addAndGet(size) > MOST_QUEUED_BYTES) {
            queuedBytes.addAndGet(-size);
            return false;
        }
        boolean isQueued = false;
        try {
            isQueued = queue.offer(event);
        } finally {
            if (!isQueued) {
                queuedBytes.addAndGet(-size);
            }
        }
        return isQueued;
    }

    private JournalListener listener() {
        return Objects.requireNonNull(listener, "not started");
    }

    private void write() {
        try {
            while (true) {
                var first = queue.poll(100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    gather(writeBatch(first));
                } else if (closing) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            line.close();
        }
    }

    /// Under load it rests a little between two batches: what a commit costs is shared by all that
    /// is in it.
    private void gather(int lastBatch) throws InterruptedException {
        if (!closing && isRestWorthIt(lastBatch, queue.size(), queuedBytes.get())) {
            boolean _ = interrupted.await(LINGER.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    static boolean isRestWorthIt(int lastBatch, int queued, long queuedBytes) {
        return lastBatch >= COMPANY && queued < ENOUGH && queuedBytes < ENOUGH_BYTES;
    }

    /// How many there were.
    private int writeBatch(Accepted first) throws InterruptedException {
        var small = new ArrayList<Accepted>();
        var large = new ArrayList<Accepted>();
        long bytes = 0;
        for (Accepted next = first;
                next != null;
                next = room(small, large, bytes) ? queue.poll() : null) {
            int size = next.payload().size();
            bytes += size;
            (size > LARGE ? large : small).add(next);
        }
        queuedBytes.addAndGet(-bytes);
        var all = new ArrayList<>(small);
        all.addAll(large);
        writing = all;
        commitOrRefuse(small);
        commitOrRefuse(large);
        writing = List.of();
        return all.size();
    }

    /// A bug must not end the thread: nothing would be stored any more.
    private void commitOrRefuse(List<Accepted> events) throws InterruptedException {
        try {
            commit(events, OptionalLong.empty());
        } catch (RuntimeException | Error e) {
            log.atError().addKeyValue("events", events.size()).setCause(e).log("journal.crashed");
            refuse(events);
        }
    }

    private void drop(Accepted event) {
        if (event.receipt().markDropped()) {
            listener().dropped(event);
        }
    }

    private static boolean room(List<Accepted> small, List<Accepted> large, long bytes) {
        return small.size() + large.size() < MOST_EVENTS && bytes < MOST_BYTES;
    }

    /// @param tried the epoch under which an earlier commit of these events may have gone through
    private void commit(List<Accepted> events, OptionalLong tried) throws InterruptedException {
        var left = events;
        var late = new ArrayList<Accepted>(); // refused while it was open whether they are stored
        var inDoubt = tried;
        long owner = epoch.getAsLong();
        for (int failures = 0; !left.isEmpty(); failures++) {
            try {
                if (inDoubt.isPresent() && isStored(left.getFirst())) {
                    owner = inDoubt.getAsLong();
                    break;
                }
                left = withoutRefused(left, inDoubt.isPresent() ? late::add : this::drop);
                owner = epoch.getAsLong();
                writeOnce(left, owner);
                break;
            } catch (DbException e) {
                if (e.isDuplicate() && inDoubt.isPresent()) {
                    owner = inDoubt.getAsLong();
                    break; // the first commit had gone through and showed only now
                }
                log.atWarn()
                        .addKeyValue("events", left.size())
                        .setCause(e)
                        .log("journal.commit_failed");
                if (e.isConnectionLost() && inDoubt.isEmpty()) {
                    inDoubt = OptionalLong.of(owner);
                }
                if (e.isMissingPartition()) {
                    partitions.makeMissing(clock.instant());
                } else if (failures >= (e.isConnectionLost() ? e.patience() : 1)) {
                    commitApart(left, inDoubt);
                    left = List.of();
                    break;
                }
                pause(failures);
            }
        }
        acknowledge(left, owner);
        find(late, inDoubt.orElse(owner));
    }

    /// Their senders were refused when it was not known whether they are stored; now it can be
    /// seen.
    private void find(List<Accepted> late, long owner) throws InterruptedException {
        List<Accepted> stored = List.of();
        for (int failures = 0; !late.isEmpty(); failures++) {
            try {
                stored =
                        line.call(tx ->
                                late.stream()
                                        .filter(event -> EventStore.isStored(tx, event))
                                        .toList());
                break;
            } catch (DbException e) {
                if (!e.isConnectionLost() && failures >= FIND_PATIENCE) {
                    throw e;
                }
                log.atWarn()
                        .addKeyValue("events", late.size())
                        .setCause(e)
                        .log("journal.find_failed");
                pause(failures);
            }
        }
        acknowledge(stored, owner);
        for (var event : late) {
            if (!stored.contains(event)) {
                drop(event);
            }
        }
    }

    /// What the database refuses twice is written event by event, so that one that cannot be stored
    /// does not have the others refused.
    private void commitApart(List<Accepted> events, OptionalLong tried)
            throws InterruptedException {
        if (events.size() == 1) {
            events.getFirst().receipt().become(Receipt.State.REFUSED);
            if (tried.isPresent()) {
                find(events, tried.getAsLong());
            } else {
                refuse(events);
            }
            return;
        }
        for (var event : events) {
            commit(List.of(event), tried);
        }
    }

    private void writeOnce(List<Accepted> events, long owner) {
        if (!events.isEmpty()) {
            var batch = ids.next();
            line.call(tx -> {
                store.write(tx, events, batch, owner, clock.instant());
                return true;
            });
        }
    }

    private boolean isStored(Accepted event) {
        return line.call(tx -> EventStore.isStored(tx, event));
    }

    /// A sender that was refused in time will send again; its event is dispatched all the same,
    /// because it is stored.
    private void acknowledge(List<Accepted> stored, long owner) {
        if (stored.isEmpty()) {
            return;
        }
        for (var event : stored) {
            event.receipt().become(Receipt.State.STORED);
        }
        listener().stored(stored, owner);
    }

    /// The others of the batch; the refused ones are never written again.
    private static List<Accepted> withoutRefused(
            List<Accepted> events, Consumer<Accepted> refused) {
        var left = new ArrayList<Accepted>(events.size());
        for (var event : events) {
            if (event.receipt().isRefused()) {
                refused.accept(event);
            } else {
                left.add(event);
            }
        }
        return left;
    }

    /// Those that are not stored.
    private void refuse(List<Accepted> events) {
        for (var event : events) {
            event.receipt().become(Receipt.State.REFUSED);
            if (event.receipt().isRefused()) {
                drop(event);
            }
        }
    }

    private void pause(int failures) throws InterruptedException {
        interrupted.await(Math.min(20L << Math.min(failures, 6), 1_000), TimeUnit.MILLISECONDS);
    }

    /// One look at what waits too long.
    private boolean refuseOverdue() {
        long now = System.nanoTime();
        for (var event : queue) {
            if (event.receipt().isOverdue(now)) {
                event.receipt().become(Receipt.State.REFUSED);
            } else {
                break; // they are queued in the order of their deadlines
            }
        }
        for (var event : writing) {
            if (event.receipt().isOverdue(now)) {
                event.receipt().become(Receipt.State.REFUSED);
            }
        }
        return false;
    }

    /// Takes nothing more, and returns when what was taken is stored or refused.
    @Override
    public void close() {
        closing = true;
        try {
            if (!writer.join(STOP)) {
                writer.interrupt();
            }
        } catch (InterruptedException e) {
            writer.interrupt();
            Thread.currentThread().interrupt();
        }
        if (overdue != null) {
            overdue.close();
        }
    }
}
