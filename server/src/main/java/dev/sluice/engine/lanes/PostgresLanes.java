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

/// Implements [Lanes] with the SQL in [LaneStore].
record PostgresLanes(Db db) implements Lanes {

    @Override
    public List<LaneStore.DueLane> dueFor(
            long epoch, Instant until, Collection<WorkspaceId> excluded, int limit) {
        return db.statement(tx -> LaneStore.dueFor(tx, epoch, until, excluded, limit));
    }

    @Override
    public List<Lane> lease(long epoch, Instant now, Collection<Lane> wanted) {
        return db.statement(tx -> LaneStore.lease(tx, epoch, now, wanted));
    }

    @Override
    public List<LaneStore.LeasedLane> leased(long epoch) {
        return db.statement(tx -> LaneStore.leased(tx, epoch));
    }

    @Override
    public void wake(Lane lane, Instant at) {
        db.run(tx -> LaneStore.wake(tx, List.of(new LaneStore.LaneWake(lane, at))));
    }

    @Override
    public void release(Lane lane, long epoch, Optional<Instant> wakeAt) {
        db.run(tx -> LaneStore.release(tx, lane, epoch, wakeAt));
    }

    @Override
    public List<LaneStore.WaitingDelivery> due(
            Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit) {
        return db.call(tx -> LaneStore.due(tx, lane, until, afterNextAt, afterId, limit));
    }

    @Override
    public Optional<ProbeStore.ProbeCandidate> leaseForProbe(
            long epoch, ProbeStore.ProbeLanes lanes, boolean isNewest, Instant now) {
        return db.call(tx -> ProbeStore.lease(tx, epoch, lanes, isNewest, now));
    }

    @Override
    public Optional<Instant> firstDue(Lane lane) {
        return db.call(tx -> LaneStore.firstDue(tx, lane));
    }

    @Override
    public Map<EventId, Payload> payloads(SourceId source, Collection<EventId> events) {
        return db.call(tx -> LaneStore.payloads(tx, source, events));
    }
}
