package dev.sluice.engine.commit;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// The queue of events that are waiting for the journal's writer. No source can fill it or delay
/// another source's events for long.
///
/// - **Room**: after an event is added, its source may use at most as much room as is left free,
///   and its workspace at most twice as much. An event that would exceed this is refused (the
///   dynamic-threshold method of Choudhury and Hahne, 1998). A single source therefore gets half of
///   the room, and a single workspace gets two thirds. As events leave the queue, the shares of
///   competing sources become equal, and some room stays free for another source. A source with no
///   event in the queue needs only room within its workspace's limit. A workspace with no event in
///   the queue needs only enough free room for the event.
/// - **Turns** ([EventTurns]): workspaces take turns, as do the sources within each workspace.
/// - **Weight**: an event that costs more than [#MAX_LIGHT_BYTES], because of its payload or its
///   many deliveries, is *heavy*. Light and heavy events are queued separately, so that the writer
///   can take the light ones first. While light events are arriving, the queue holds heavy events
///   back for a while after each commit of heavy events ([HeavyRest]).
///
/// Room and weight are measured by [AcceptedEvent#queueCostBytes]. Thread-safe: each method
/// synchronizes on this object, and only `poll` and `awaitSize` wait.
final class JournalQueue {

    static final int MAX_LIGHT_BYTES = 64 << 10;

    private static final int NOT_AWAITED = Integer.MAX_VALUE;

    private final long capacityBytes;
    private final EventTurns light = new EventTurns();
    private final EventTurns heavy = new EventTurns();
    private final HeavyRest heavyRest = new HeavyRest();
    private final Map<WorkspaceId, Long> bytesByWorkspace = new HashMap<>();
    private final Map<SourceId, Long> bytesBySource = new HashMap<>();

    private long bytes;
    private int size;
    private long lastArrival = System.nanoTime();

    /// Whether the writer is waiting for an event that it may take.
    private boolean isAwaited;

    /// The number of events for which [#awaitSize] waits; [#NOT_AWAITED] if it does not wait.
    private int awaitedSize = NOT_AWAITED;

    /// Gets permits once so many events are queued.
    private final Semaphore enough = new Semaphore(0);

    private boolean isClosed;

    JournalQueue(long capacityBytes) {
        this.capacityBytes = capacityBytes;
    }

    /// Adds an event. Returns false if the queue is closed, if it has no room for the event, or if
    /// the event's workspace or source has used up its share of the room.
    synchronized boolean offer(AcceptedEvent event) {
        long cost = event.queueCostBytes();
        long left = capacityBytes - bytes - cost;
        @Nullable Long ofWorkspace = bytesByWorkspace.get(event.origin().workspace());
        @Nullable Long ofSource = bytesBySource.get(event.source());
        if (isClosed
                || left < 0
                || (ofWorkspace != null && ofWorkspace + cost > 2 * left)
                || (ofSource != null && ofSource + cost > left)) {
            return false;
        }
        (isHeavy(event) ? heavy : light).add(event);
        count(event, cost);
        size++;
        lastArrival = System.nanoTime();
        if (isAwaited) {
            notify(); // only the writer waits
        }
        if (size >= awaitedSize) {
            enough.release();
        }
        return true;
    }

    static boolean isHeavy(AcceptedEvent event) {
        return event.queueCostBytes() > MAX_LIGHT_BYTES;
    }

    /// Adds `cost`, which may be negative, to the sums of the event's workspace and source. A sum
    /// that becomes zero is removed.
    private void count(AcceptedEvent event, long cost) {
        bytes += cost;
        bytesByWorkspace.merge(event.origin().workspace(), cost, JournalQueue::sumOrNone);
        bytesBySource.merge(event.source(), cost, JournalQueue::sumOrNone);
    }

    private static @Nullable Long sumOrNone(long one, long other) {
        return one + other == 0 ? null : one + other;
    }

    /// Removes and returns the event whose turn it is: a light event if there is one, otherwise a
    /// heavy event. Waits while the queue is empty, or has only heavy events that are held back. If
    /// there is still no event to return after `time`, returns null. If the queue is closed, does
    /// not wait.
    synchronized @Nullable AcceptedEvent poll(long time, TimeUnit unit)
            throws InterruptedException {
        long until = System.nanoTime() + unit.toNanos(time);
        while (true) {
            if (!light.isEmpty()) {
                return removeFrom(light);
            }
            long now = System.nanoTime();
            long rest = heavy.isEmpty() ? Long.MAX_VALUE : heavyRest.left(now);
            if (rest == 0) {
                return removeFrom(heavy);
            }
            long left = until - now;
            if (left <= 0 || isClosed) {
                return null;
            }
            await(Math.min(left, rest));
        }
    }

    private void await(long nanos) throws InterruptedException {
        isAwaited = true;
        try {
            TimeUnit.NANOSECONDS.timedWait(this, nanos);
        } finally {
            isAwaited = false;
        }
    }

    /// Waits until at least `events` events are queued, the time has passed, or the queue is
    /// closed. Called only by the writer. The wait is precise to some 0.1 ms, while one for this
    /// object would take whole milliseconds.
    void awaitSize(int events, Duration time) throws InterruptedException {
        try {
            if (!beginAwaitSize(events)) {
                boolean _ = enough.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS);
            }
        } finally {
            endAwaitSize();
        }
    }

    /// Returns whether the queue already has so many events or is closed.
    private synchronized boolean beginAwaitSize(int events) {
        awaitedSize = events;
        return size >= events || isClosed;
    }

    private synchronized void endAwaitSize() {
        awaitedSize = NOT_AWAITED;
        enough.drainPermits();
    }

    /// Removes and returns the light event whose turn it is, or null if there is none.
    synchronized @Nullable AcceptedEvent pollLight() {
        return removeFrom(light);
    }

    /// Removes and returns the heavy event whose turn it is, or null if there is none or if heavy
    /// events are being held back.
    synchronized @Nullable AcceptedEvent pollHeavy() {
        return heavyRest.left(System.nanoTime()) > 0 ? null : removeFrom(heavy);
    }

    /// Tells the queue that light events were committed.
    synchronized void wroteLight() {
        heavyRest.wroteLight(System.nanoTime());
    }

    /// Tells the queue that heavy events were committed.
    ///
    /// @param begun when the writer began to write them, as a [System#nanoTime] value
    synchronized void wroteHeavy(long begun) {
        heavyRest.wroteHeavy(begun, System.nanoTime());
    }

    /// Stops holding heavy events back, and makes [#poll] and [#awaitSize] stop waiting for events.
    synchronized void close() {
        heavyRest.end();
        isClosed = true;
        notify();
        enough.release();
    }

    private @Nullable AcceptedEvent removeFrom(EventTurns turns) {
        if (turns.isEmpty()) {
            return null;
        }
        var event = turns.remove();
        count(event, -event.queueCostBytes());
        size--;
        return event;
    }

    /// Refuses the events whose deadline has passed. They stay in the queue until they are polled.
    synchronized void refuseOverdue(long nowNanos) {
        light.refuseOverdue(nowNanos);
        heavy.refuseOverdue(nowNanos);
    }

    synchronized int size() {
        return size;
    }

    synchronized long bytes() {
        return bytes;
    }

    /// Returns when the last event was added, as a [System#nanoTime] value. If no event was ever
    /// added, returns when the queue was created.
    synchronized long lastArrival() {
        return lastArrival;
    }
}
