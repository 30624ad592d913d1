package dev.sluice.relay.dispatch;

import dev.sluice.relay.dispatch.Turns.Seat;
import dev.sluice.relay.dispatch.Turns.Tenant;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.function.Predicate;

/// Destinations that wait, round robin: over workspaces, then over the destinations of a workspace.
/// Guarded by its [Turns].
final class Ring<D> {

    /// None is empty. Who is served goes to the end, so the first waited longest.
    private final SequencedMap<Tenant, SequencedSet<Seat<D>>> waiting = new LinkedHashMap<>();

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    void add(Seat<D> seat) {
        waiting.computeIfAbsent(seat.tenant(), _ -> new LinkedHashSet<>()).add(seat);
    }

    void remove(Seat<D> seat) {
        waiting.computeIfPresent(
                seat.tenant(), (_, seats) -> seats.remove(seat) && seats.isEmpty() ? null : seats);
    }

    /// Takes the first of the first workspace that is no `glutton`; of the first workspace when all
    /// are. There must be one.
    Seat<D> poll(Predicate<Tenant> glutton) {
        var turn = waiting.firstEntry();
        for (var entry : waiting.entrySet()) {
            if (!glutton.test(entry.getKey())) {
                turn = entry;
                break;
            }
        }
        var seat = turn.getValue().removeFirst();
        var tenant = turn.getKey();
        var left = turn.getValue();
        waiting.remove(tenant);
        if (!left.isEmpty()) {
            waiting.putLast(tenant, left);
        }
        return seat;
    }
}
