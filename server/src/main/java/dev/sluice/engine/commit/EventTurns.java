package dev.sluice.engine.commit;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/// A queue of events in which workspaces take turns, as do the sources within each workspace. One
/// event is removed in each turn. A workspace with events in the queue waits for at most one event
/// from each other workspace before its next turn. A source's first event waits for at most one
/// event from each other source in its workspace. Events from the same source stay in order.
///
/// Not thread-safe.
final class EventTurns {

    /// The workspaces and sources that have events. After its turn, an entry moves to the end.
    private final SequencedMap<WorkspaceId, SequencedMap<SourceId, ArrayDeque<AcceptedEvent>>>
            workspaces = new LinkedHashMap<>();

    boolean isEmpty() {
        return workspaces.isEmpty();
    }

    void add(AcceptedEvent event) {
        workspaces
                .computeIfAbsent(event.origin().workspace(), _ -> new LinkedHashMap<>(4))
                .computeIfAbsent(event.source(), _ -> new ArrayDeque<>(4))
                .add(event);
    }

    /// Removes and returns the next event. Throws an exception if there is none.
    AcceptedEvent remove() {
        var workspace = workspaces.firstEntry();
        var source = workspace.getValue().firstEntry();
        var event = source.getValue().remove();
        keepIfUsed(
                workspace.getValue(),
                source.getKey(),
                source.getValue(),
                source.getValue().isEmpty());
        keepIfUsed(
                workspaces,
                workspace.getKey(),
                workspace.getValue(),
                workspace.getValue().isEmpty());
        return event;
    }

    /// Moves an entry to the end after its turn, or removes it if it is empty.
    private static <K, V> void keepIfUsed(
            SequencedMap<K, V> entries, K key, V value, boolean isEmpty) {
        if (isEmpty) {
            entries.remove(key);
        } else {
            entries.putLast(key, value);
        }
    }

    /// Refuses the events whose deadline has passed. They stay in the queue.
    void refuseOverdue(long nowNanos) {
        for (var workspace : workspaces.values()) {
            for (var events : workspace.values()) {
                for (var event : events) {
                    if (!event.receipt().isOverdue(nowNanos)) {
                        break; // the events behind it arrived later
                    }
                    event.receipt().decide(Receipt.ReceiptState.REFUSED);
                }
            }
        }
    }
}
