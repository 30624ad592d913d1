package dev.sluice.relay.store;

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

    /// Leases up to `limit` lanes that are due and that no node leases. An epoch is the number of a
    /// node's registration.
    List<Lane> lease(long epoch, Instant now, int limit);

    /// Returns all lanes leased by the node with this epoch.
    List<Lane> leased(long epoch);

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
