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

/// The lanes as a node sees them that drains some. Each method is one transaction of its own.
public interface Lanes {

    static Lanes of(Db db) {
        return new StoredLanes(db);
    }

    /// Takes lanes that are due and free, at most `limit`.
    List<Lane> lease(long epoch, Instant now, int limit);

    /// All lanes that a node has leased.
    List<Lane> leased(long epoch);

    /// Frees a lane, to wake at `wakeAt`, or when it was asked to wake while it was leased; empty
    /// when nothing waits there.
    void release(Lane lane, long epoch, Optional<Instant> wakeAt);

    /// Deliveries of a lane that are due by `until`, after a position, in line.
    List<LaneStore.Waiting> due(
            Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit);

    /// When the first delivery of the lane is due.
    Optional<Instant> firstDue(Lane lane);

    /// What came in with each of these events of one source; those that are gone are missing.
    Map<EventId, Payload> payloads(SourceId source, Collection<EventId> events);
}
