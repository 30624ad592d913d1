package dev.sluice.relay.journal;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.store.AcceptedEvent;
import dev.sluice.relay.store.Receipt;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
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
/// - **Turns**: workspaces take turns, then the sources of each workspace, event by event. So
///   before the first event of a source, at most one event of each other source of its workspace is
///   taken, and for each of these one event of each other workspace.
///
/// Room is counted by [AcceptedEvent#queueCostBytes]. Thread-safe: each method synchronizes on this
/// object, and only `poll` with a time waits.
final class JournalQueue {

    /// The events of one source, in the order of their deadlines.
    private static final class SourceEvents {
        private final ArrayDeque<AcceptedEvent> events = new ArrayDeque<>(4);
        private long bytes;
    }

    /// The sources of one workspace that have events; the one that was served last is last.
    private static final class WorkspaceEvents {
        private final SequencedMap<SourceId, SourceEvents> sources = new LinkedHashMap<>(4);
        private long bytes;
    }

    private final long capacityBytes;

    /// The workspaces that have events; the one that was served last is last.
    private final SequencedMap<WorkspaceId, WorkspaceEvents> workspaces = new LinkedHashMap<>();

    private long bytes;
    private int size;

    JournalQueue(long capacityBytes) {
        this.capacityBytes = capacityBytes;
    }

    /// Adds an event; returns false if there is no room for it.
    synchronized boolean offer(AcceptedEvent event) {
        long cost = event.queueCostBytes();
        long left = capacityBytes - bytes - cost;
        @Nullable WorkspaceEvents workspace = workspaces.get(event.origin().workspace());
        @Nullable SourceEvents source =
                workspace == null ? null : workspace.sources.get(event.source());
        if (left < 0
                || (workspace != null && workspace.bytes + cost > 2 * left)
                || (source != null && source.bytes + cost > left)) {
            return false;
        }
        add(event, cost);
        return true;
    }

    private void add(AcceptedEvent event, long cost) {
        var workspace =
                workspaces.computeIfAbsent(event.origin().workspace(), _ -> new WorkspaceEvents());
        var source = workspace.sources.computeIfAbsent(event.source(), _ -> new SourceEvents());
        source.events.add(event);
        source.bytes += cost;
        workspace.bytes += cost;
        bytes += cost;
        size++;
        if (size == 1) {
            notify(); // only the writer waits, and only while the queue is empty
        }
    }

    /// Removes the next event by turn. Waits for one if there is none; null when the time is over.
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
        return remove();
    }

    /// Removes the next event by turn; null if there is none.
    synchronized @Nullable AcceptedEvent poll() {
        return size == 0 ? null : remove();
    }

    private AcceptedEvent remove() {
        var workspace = workspaces.firstEntry().getValue();
        var source = workspace.sources.firstEntry().getValue();
        var event = source.events.remove();
        long cost = event.queueCostBytes();
        source.bytes -= cost;
        workspace.bytes -= cost;
        bytes -= cost;
        size--;
        keepIfUsed(workspace.sources, event.source(), source, source.events.isEmpty());
        keepIfUsed(workspaces, event.origin().workspace(), workspace, workspace.sources.isEmpty());
        return event;
    }

    /// Moves an entry that was served to the end, or removes it.
    private static <K, V> void keepIfUsed(
            SequencedMap<K, V> entries, K key, V value, boolean isEmpty) {
        if (isEmpty) {
            entries.remove(key);
        } else {
            entries.putLast(key, value);
        }
    }

    /// Refuses the events whose deadline is over. They stay until they are polled.
    synchronized void refuseOverdue(long nowNanos) {
        for (var workspace : workspaces.values()) {
            for (var source : workspace.sources.values()) {
                for (var event : source.events) {
                    if (!event.receipt().isOverdue(nowNanos)) {
                        break; // those behind it came later
                    }
                    event.receipt().decide(Receipt.ReceiptState.REFUSED);
                }
            }
        }
    }

    synchronized int size() {
        return size;
    }

    synchronized long bytes() {
        return bytes;
    }
}
