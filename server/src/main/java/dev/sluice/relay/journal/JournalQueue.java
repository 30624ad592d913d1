package dev.sluice.relay.journal;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.store.AcceptedEvent;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The events that wait for the journal's writer. None of their sources can fill it, and none can
/// delay the others.
///
/// - **Room** is limited by a fraction of what is left free (dynamic thresholds, Choudhury and
///   Hahne, 1998): a source may use as much as is left free, a workspace twice as much. A single
///   source therefore gets half of the room, a single workspace two thirds. While events are taken
///   out, the shares of those that compete become equal, and some room is left for the next one. A
///   source that uses none is let in if its workspace may use more, and a workspace that uses none
///   whenever the event fits.
/// - **Turns** ([EventTurns]): workspaces take turns, then the sources of each workspace.
/// - **Weight**: an event of more than [#MAX_LIGHT_BYTES], because of its payload or its many
///   deliveries, is *heavy*. Heavy events have turns of their own, so that the writer can take the
///   light ones first.
///
/// Room and weight are counted by [AcceptedEvent#queueCostBytes]. Thread-safe: each method
/// synchronizes on this object, and only `poll` with a time waits.
final class JournalQueue {

    static final int MAX_LIGHT_BYTES = 64 << 10;

    private final long capacityBytes;
    private final EventTurns light = new EventTurns();
    private final EventTurns heavy = new EventTurns();
    private final Map<WorkspaceId, Long> bytesByWorkspace = new HashMap<>();
    private final Map<SourceId, Long> bytesBySource = new HashMap<>();

    private long bytes;
    private int size;

    JournalQueue(long capacityBytes) {
        this.capacityBytes = capacityBytes;
    }

    /// Adds an event; returns false if there is no room for it.
    synchronized boolean offer(AcceptedEvent event) {
        long cost = event.queueCostBytes();
        long left = capacityBytes - bytes - cost;
        @Nullable Long ofWorkspace = bytesByWorkspace.get(event.origin().workspace());
        @Nullable Long ofSource = bytesBySource.get(event.source());
        if (left < 0
                || (ofWorkspace != null && ofWorkspace + cost > 2 * left)
                || (ofSource != null && ofSource + cost > left)) {
            return false;
        }
        (isHeavy(event) ? heavy : light).add(event);
        count(event, cost);
        size++;
        if (size == 1) {
            notify(); // only the writer waits, and only while the queue is empty
        }
        return true;
    }

    static boolean isHeavy(AcceptedEvent event) {
        return event.queueCostBytes() > MAX_LIGHT_BYTES;
    }

    /// Adds to the sums, or subtracts. A sum that becomes zero is removed.
    private void count(AcceptedEvent event, long cost) {
        bytes += cost;
        bytesByWorkspace.merge(event.origin().workspace(), cost, JournalQueue::sumOrNone);
        bytesBySource.merge(event.source(), cost, JournalQueue::sumOrNone);
    }

    private static @Nullable Long sumOrNone(long one, long other) {
        return one + other == 0 ? null : one + other;
    }

    /// Removes the next event by turn, a light one if there is one. Waits for an event if there is
    /// none; null when the time is over.
    synchronized @Nullable AcceptedEvent poll(long time, TimeUnit unit)
            throws InterruptedException {
        long until = System.nanoTime() + unit.toNanos(time);
        while (size == 0) {
            long left = until - System.nanoTime();
            if (left <= 0) {
                return null;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return removeFrom(light.isEmpty() ? heavy : light);
    }

    /// Removes the next light event by turn; null if there is none.
    synchronized @Nullable AcceptedEvent pollLight() {
        return removeFrom(light);
    }

    /// Removes the next heavy event by turn; null if there is none.
    synchronized @Nullable AcceptedEvent pollHeavy() {
        return removeFrom(heavy);
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

    /// Refuses the events whose deadline is over. They stay until they are polled.
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
}
