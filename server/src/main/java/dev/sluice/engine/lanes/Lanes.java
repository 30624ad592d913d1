package dev.sluice.engine.lanes;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// The operations on [Lane]s that a node needs to send the deliveries waiting in them. Each method
/// is one transaction.
public interface Lanes {

    static Lanes of(Db db) {
        return new PostgresLanes(db);
    }

    /// Returns up to `limit` lanes that are due by `until` and that no node has leased, ordered by
    /// wake-up time. Also returns all lanes that the node with this epoch (see
    /// [dev.sluice.engine.Lease]) has leased and that are due again by then.
    ///
    /// @param excluded workspaces whose lanes are not returned, unless the node has already leased
    ///   them
    List<LaneStore.DueLane> dueFor(
            long epoch, Instant until, Collection<WorkspaceId> excluded, int limit);

    /// Leases the given lanes and clears their wake-up times. Skips lanes that are no longer due,
    /// that another node has leased, or that are locked. A lane that this node has already leased
    /// stays leased, and is not skipped for that reason. Returns the lanes that were not skipped.
    List<Lane> lease(long epoch, Instant now, Collection<Lane> wanted);

    /// Returns all lanes leased by the node with this epoch.
    List<LaneStore.LeasedLane> leased(long epoch);

    /// Makes the lane wake at `at`, unless it is already due to wake earlier. Creates the lane if
    /// needed.
    void wake(Lane lane, Instant at);

    /// Releases the lease on a lane, if the node with this epoch still holds it. The lane wakes at
    /// `wakeAt`, or earlier if an earlier wake was requested during the lease.
    ///
    /// @param wakeAt when the lane must wake; empty if no delivery is waiting in it, or if
    ///   something else will wake it
    void release(Lane lane, long epoch, Optional<Instant> wakeAt);

    /// Returns up to `limit` deliveries in a lane that are due by `until`, ordered by due time and
    /// id, beginning after the position (`afterNextAt`, `afterId`).
    List<LaneStore.WaitingDelivery> due(
            Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit);

    /// Returns the delivery to send as the probe, among all lanes of the destination, and leases
    /// its lane for the node with this epoch. Returns empty if there is none.
    ///
    /// @param isNewest whether the newest delivery without an attempt is wanted, not the oldest
    /// @see ProbeStore#lease
    Optional<ProbeStore.ProbeCandidate> leaseForProbe(
            long epoch, ProbeStore.ProbeLanes lanes, boolean isNewest, Instant now);

    /// Returns the due time of the first waiting delivery in the lane, or empty if there is none.
    Optional<Instant> firstDue(Lane lane);

    /// Returns the payloads of these events, all of which belong to one source. Events that no
    /// longer exist are missing from the map.
    Map<EventId, Payload> payloads(SourceId source, Collection<EventId> events);
}
