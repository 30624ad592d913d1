package dev.sluice.engine.share;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.function.Predicate;

/// A queue in which groups take turns; the members of a group are served in the order in which they
/// were added. Not thread-safe.
public final class RoundRobin<G, M> {

    /// The waiting members of each group; each set has at least one member. A group that was served
    /// moves to the end, so the first group has waited longest.
    private final SequencedMap<G, SequencedSet<M>> waiting = new LinkedHashMap<>();

    public boolean isEmpty() {
        return waiting.isEmpty();
    }

    /// Whether any member of the group is waiting.
    public boolean isWaiting(G group) {
        return waiting.containsKey(group);
    }

    /// Adds a member at the end of its group's line; does nothing if the member is already waiting
    /// there.
    public void add(G group, M member) {
        waiting.computeIfAbsent(group, _ -> new LinkedHashSet<>()).add(member);
    }

    public void remove(G group, M member) {
        waiting.computeIfPresent(
                group,
                (_, members) -> members.remove(member) && members.isEmpty() ? null : members);
    }

    /// Removes and returns the member whose turn it is, or empty if no member is waiting.
    public Optional<M> poll() {
        return poll(_ -> true, _ -> true);
    }

    /// Removes and returns the first member that passes `mayServe`, from the first group that
    /// passes `mayServeGroup` and has such a member. Returns empty if there is none.
    public Optional<M> poll(Predicate<? super G> mayServeGroup, Predicate<? super M> mayServe) {
        return poll(mayServeGroup, mayServe, _ -> false, _ -> false);
    }

    /// Like [#poll(Predicate, Predicate)], but in a group that passes `prefersNewest`, the newest
    /// member that passes both `mayServe` and `isPreferred` comes first.
    Optional<M> poll(
            Predicate<? super G> mayServeGroup,
            Predicate<? super M> mayServe,
            Predicate<? super G> prefersNewest,
            Predicate<? super M> isPreferred) {
        var next = find(mayServeGroup, mayServe, prefersNewest, isPreferred);
        next.ifPresent(turn -> served(turn.getKey(), turn.getValue()));
        return next.map(Map.Entry::getValue);
    }

    /// Whether [#poll(Predicate, Predicate)] would return a member.
    boolean hasNext(Predicate<? super G> mayServeGroup, Predicate<? super M> mayServe) {
        return find(mayServeGroup, mayServe, _ -> false, _ -> false).isPresent();
    }

    private Optional<Map.Entry<G, M>> find(
            Predicate<? super G> mayServeGroup,
            Predicate<? super M> mayServe,
            Predicate<? super G> prefersNewest,
            Predicate<? super M> isPreferred) {
        for (var line : waiting.entrySet()) {
            if (mayServeGroup.test(line.getKey())) {
                if (prefersNewest.test(line.getKey())) {
                    for (var member : line.getValue().reversed()) {
                        if (isPreferred.test(member) && mayServe.test(member)) {
                            return Optional.of(Map.entry(line.getKey(), member));
                        }
                    }
                }
                for (var member : line.getValue()) {
                    if (mayServe.test(member)) {
                        return Optional.of(Map.entry(line.getKey(), member));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private void served(G group, M member) {
        remove(group, member);
        var left = waiting.remove(group);
        if (left != null) {
            waiting.putLast(group, left);
        }
    }
}
