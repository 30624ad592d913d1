package dev.sluice.relay.store;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// The operations on [Lane]s for a node that delivers what waits in them. Each method is one
/// transaction.
public interface Lanes {

    static Lanes of(Db db) {
        return new PostgresLanes(db);
    }

    /// Returns up to `limit` lanes that are due and that no node leases, the longest due first, and
    /// all that this node leases and that were woken since. An epoch is the number of a node's
    /// registration.
    ///
    /// @param excluded workspaces of which no lane is wanted, unless the node leases it already
    List<LaneStore.DueLane> dueFor(
            long epoch, Instant now, Collection<WorkspaceId> excluded, int limit);

    /// Leases those of the given lanes that are still due and that no other node leases, and
    /// forgets their wake-up times.
    List<Lane> lease(long epoch, Instant now, Collection<Lane> wanted);

    /// Returns all lanes leased by the node with this epoch.
    List<LaneStore.LeasedLane> leased(long epoch);

    /// Makes the lane wake at `at`, unless it already wakes earlier.
    void wake(Lane lane, Instant at);

    /// Releases the lease of a lane. The lane wakes at `wakeAt`, or earlier if an earlier wake was
    /// requested during the lease.
    ///
    /// @param wakeAt empty when nothing waits in the lane
    void release(Lane lane, long epoch, Optional<Instant> wakeAt);

    /// Returns deliveries in a lane that are due by `until`, ordered by due time and id, beginning
    /// after the given position.
    List<LaneStore.WaitingDelivery> due(
            Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit);

    /// Returns the due time of the first delivery in the lane.
    Optional<Instant> firstDue(Lane lane);

    /// Returns the payloads of these events, which all belong to one source. Events that no longer
    /// exist are missing from the map.
    Map<EventId, Payload> payloads(SourceId source, Collection<EventId> events);
}
