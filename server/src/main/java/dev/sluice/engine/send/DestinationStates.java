package dev.sluice.engine.send;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.share.FairPermits;
import dev.sluice.engine.share.PayloadMemory;
import dev.sluice.engine.share.RateLimiter;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.RoutingTable;

import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/// The map from each destination to its [DestinationState], which is created on first use.
/// Thread-safe.
///
/// [#forgetDeleted] removes the states of deleted destinations. A workspace's counters, which track
/// its permits and its payload memory, are never removed because they take up little memory.
final class DestinationStates {

    /// Used in place of the workspace of a destination that this node does not know, usually
    /// because the destination was deleted.
    private static final WorkspaceId UNKNOWN_WORKSPACE = new WorkspaceId(new UUID(0, 0));

    private final RoutingTable routing;
    private final InstantSource clock;
    private final ConcurrentHashMap<DestinationId, DestinationState> states =
            new ConcurrentHashMap<>();
    private final ConcurrentHashMap<WorkspaceId, DestinationState.WorkspaceState> workspaces =
            new ConcurrentHashMap<>();

    DestinationStates(RoutingTable routing, InstantSource clock) {
        this.routing = routing;
        this.clock = clock;
    }

    DestinationState of(DestinationId destination) {
        return states.computeIfAbsent(destination, this::newState);
    }

    /// Returns the state of a destination, or empty if none has been created yet.
    Optional<DestinationState> find(DestinationId destination) {
        return Optional.ofNullable(states.get(destination));
    }

    Collection<DestinationState> all() {
        return states.values();
    }

    private DestinationState newState(DestinationId destination) {
        var known = routing.destination(destination);
        var workspace = known.isPresent() ? known.get().workspace() : UNKNOWN_WORKSPACE;
        var workspaceState =
                workspaces.computeIfAbsent(
                        workspace,
                        _ ->
                                new DestinationState.WorkspaceState(
                                        new FairPermits.WorkspacePermits(),
                                        new PayloadMemory.WorkspaceMemory()));
        return new DestinationState(
                destination, new DestinationQueue(new RateLimiter(clock)), workspaceState);
    }

    /// Returns the result of `use` for each workspace, by the workspace's id.
    Map<UUID, Long> byWorkspace(ToLongFunction<DestinationState.WorkspaceState> use) {
        Map<UUID, Long> found = new HashMap<>();
        workspaces.forEach((id, state) -> found.put(id.value(), use.applyAsLong(state)));
        return found;
    }

    /// Queues a waiting delivery and returns its destination's state, which is created if needed.
    /// Both happen in one step, so that [#forgetDeleted] cannot remove the state in between.
    DestinationState addWaiting(DestinationId destination, LoadedDelivery loaded) {
        return states.compute(
                destination,
                (_, known) -> {
                    var state = known == null ? newState(destination) : known;
                    state.queue().addWaiting(loaded);
                    return state;
                });
    }

    /// Removes the state of each deleted destination that has no queued delivery, no reservation,
    /// no sender and no payload in memory.
    void forgetDeleted() {
        for (var destination : states.keySet()) {
            if (routing.destination(destination).isEmpty()) {
                states.computeIfPresent(
                        destination,
                        (_, state) -> state.isEmpty() && state.queue().retire() ? null : state);
            }
        }
    }
}
