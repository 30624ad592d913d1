package dev.sluice.engine.commit;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Forms batches of the events that are waiting in a [JournalQueue].
///
/// Light and heavy events are written in separate batches. A batch of light events is followed by
/// one batch of heavy events, if any may be written. Light events that arrive during a commit of
/// heavy events are therefore committed before the next heavy events. After that, under load, the
/// writer waits a little, so that more events share the cost of a commit ([BatchLinger]).
///
/// Used only by the writer thread, except for `close`.
final class WaitingEvents implements GroupCommit.BatchQueue<AcceptedEvent> {

    private static final int MAX_BATCH_EVENTS = 512;

    /// A batch that costs at least this much gets no more events. The limit is equivalent to about
    /// 2,000 rows. It bounds how long an event waits while the previous batch is written.
    static final int MAX_BATCH_BYTES = 2 << 20;

    /// The limit for a batch of heavy events. It is lower than [#MAX_BATCH_BYTES] because light
    /// events also wait for such a batch. Two events with a thousand deliveries each never share a
    /// batch.
    static final int MAX_HEAVY_BATCH_BYTES = 1 << 19;

    private enum LastBatch {
        NONE,
        LIGHT,
        HEAVY
    }

    private final JournalQueue queue;
    private final BatchLinger linger = new BatchLinger();

    private LastBatch last = LastBatch.NONE;
    private long lastBegun;

    /// The number of events taken since the last pause.
    private int events;

    /// The number of senders that may be waiting, taken when the first events since the last pause
    /// are acknowledged; 0 until then.
    private int senders;

    WaitingEvents(JournalQueue queue) {
        this.queue = queue;
    }

    @Override
    public List<AcceptedEvent> take(Duration time) throws InterruptedException {
        var written = last;
        last = LastBatch.NONE;
        if (written == LastBatch.HEAVY) {
            queue.wroteHeavy(lastBegun);
        } else if (written == LastBatch.LIGHT) {
            queue.wroteLight();
            var heavy = queue.pollHeavy();
            if (heavy != null) {
                return heavyBatch(heavy);
            }
        }
        lingerIfBusy();
        var first = queue.poll(time.toNanos(), TimeUnit.NANOSECONDS);
        if (first == null) {
            return List.of();
        }
        if (JournalQueue.isHeavy(first)) {
            return heavyBatch(first);
        }
        last = LastBatch.LIGHT;
        return batch(first, queue::pollLight, MAX_BATCH_BYTES);
    }

    private void lingerIfBusy() throws InterruptedException {
        if (BatchLinger.isUseful(events, queue.size(), queue.bytes())) {
            long begun = System.nanoTime();
            queue.awaitSize(senders, linger.length());
            linger.paused(begun, queue.lastArrival());
        }
        events = 0;
        senders = 0;
    }

    private List<AcceptedEvent> heavyBatch(AcceptedEvent first) {
        last = LastBatch.HEAVY;
        lastBegun = System.nanoTime();
        return batch(first, queue::pollHeavy, MAX_HEAVY_BATCH_BYTES);
    }

    private List<AcceptedEvent> batch(
            AcceptedEvent first, Supplier<@Nullable AcceptedEvent> poll, long maxBytes) {
        var batch = new ArrayList<AcceptedEvent>();
        long bytes = 0;
        for (AcceptedEvent next = first;
                next != null;
                next = batch.size() < MAX_BATCH_EVENTS && bytes < maxBytes ? poll.get() : null) {
            bytes += next.queueCostBytes();
            batch.add(next);
        }
        events += batch.size();
        return batch;
    }

    @Override
    public void answering(int stored) {
        if (senders == 0) {
            senders = BatchLinger.senders(stored, queue.size());
        }
    }

    @Override
    public void close() {
        queue.close();
    }
}
