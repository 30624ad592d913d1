package dev.sluice.engine.send;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.lanes.Lanes;
import dev.sluice.engine.lanes.ProbeStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Lanes of many workspaces in memory, which are due in the order in which they were added.
public final class SimulatedLanes implements Lanes {

    private final Map<Lane, WorkspaceId> workspaces = new LinkedHashMap<>();
    private final Map<Lane, Instant> wakeTimes = new HashMap<>();
    private final Set<Lane> due = new LinkedHashSet<>();
    private final Set<Lane> leased = new LinkedHashSet<>();
    private int statements;
    private boolean areLocked;

    public int statements() {
        return statements;
    }

    /// Adds a lane that is due behind all others.
    public void addDue(WorkspaceId workspace) {
        var id = new UUID(workspace.value().getMostSignificantBits(), workspaces.size());
        var lane = new Lane(new ConnectionId(id), Trigger.INGEST, new SourceId(id));
        workspaces.put(lane, workspace);
        due.add(lane);
    }

    /// Adds a lane that is due at this time.
    public void addDue(WorkspaceId workspace, Instant at) {
        addDue(workspace);
        wakeTimes.put(List.copyOf(due).getLast(), at);
    }

    /// Sets whether another transaction has locked all lanes, so that none can be leased.
    public void lockAll(boolean locked) {
        areLocked = locked;
    }

    public boolean isAnyDueOf(WorkspaceId workspace) {
        return due.stream().anyMatch(lane -> workspace.equals(workspaces.get(lane)));
    }

    @Override
    public List<LaneStore.DueLane> dueFor(
            long epoch, Instant until, Collection<WorkspaceId> excluded, int limit) {
        statements++;
        var found = new ArrayList<LaneStore.DueLane>();
        for (var lane : due) {
            var workspace = workspaces.get(lane);
            var at = wakeTimes.getOrDefault(lane, Instant.EPOCH);
            if (found.size() < limit
                    && !at.isAfter(until)
                    && workspace != null
                    && !excluded.contains(workspace)) {
                var unleased = new LaneStore.LeasedLane(lane, workspace);
                found.add(new LaneStore.DueLane(unleased, at, false));
            }
        }
        return found;
    }

    @Override
    public List<Lane> lease(long epoch, Instant now, Collection<Lane> wanted) {
        statements++;
        var got = areLocked ? List.<Lane>of() : wanted.stream().filter(due::remove).toList();
        leased.addAll(got);
        return got;
    }

    @Override
    public List<LaneStore.LeasedLane> leased(long epoch) {
        return List.of();
    }

    @Override
    public void wake(Lane lane, Instant at) {
        due.add(lane);
    }

    @Override
    public void release(Lane lane, long epoch, Optional<Instant> wakeAt) {
        statements++;
        leased.remove(lane);
    }

    @Override
    public List<LaneStore.WaitingDelivery> due(
            Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit) {
        return List.of();
    }

    @Override
    public Optional<ProbeStore.ProbeCandidate> leaseForProbe(
            long epoch, ProbeStore.ProbeLanes lanes, boolean isNewest, Instant now) {
        return Optional.empty();
    }

    @Override
    public Optional<Instant> firstDue(Lane lane) {
        return Optional.empty();
    }

    @Override
    public Map<EventId, Payload> payloads(SourceId source, Collection<EventId> events) {
        return Map.of();
    }
}
