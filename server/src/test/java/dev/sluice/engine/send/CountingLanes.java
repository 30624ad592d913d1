package dev.sluice.engine.send;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.lanes.Lanes;
import dev.sluice.engine.lanes.ProbeStore;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/// Lanes that count the statements sent to them, and run something before the next release.
final class CountingLanes implements Lanes {

    private final Lanes lanes;
    private final AtomicInteger statements = new AtomicInteger();
    private Runnable beforeRelease = () -> {};

    CountingLanes(Lanes lanes) {
        this.lanes = lanes;
    }

    int statements() {
        return statements.get();
    }

    void beforeRelease(Runnable hook) {
        beforeRelease = hook;
    }

    private Lanes counted() {
        statements.incrementAndGet();
        return lanes;
    }

    @Override
    public List<LaneStore.DueLane> dueFor(
            long epoch, Instant now, Collection<WorkspaceId> excluded, int limit) {
        return counted().dueFor(epoch, now, excluded, limit);
    }

    @Override
    public List<Lane> lease(long epoch, Instant now, Collection<Lane> wanted) {
        return counted().lease(epoch, now, wanted);
    }

    @Override
    public List<LaneStore.LeasedLane> leased(long epoch) {
        return counted().leased(epoch);
    }

    @Override
    public void wake(Lane lane, Instant at) {
        counted().wake(lane, at);
    }

    @Override
    public void release(Lane lane, long epoch, Optional<Instant> wakeAt) {
        beforeRelease.run();
        counted().release(lane, epoch, wakeAt);
    }

    @Override
    public List<LaneStore.WaitingDelivery> due(
            Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit) {
        return counted().due(lane, until, afterNextAt, afterId, limit);
    }

    @Override
    public Optional<ProbeStore.ProbeCandidate> leaseForProbe(
            long epoch, ProbeStore.ProbeLanes among, boolean isNewest, Instant now) {
        return counted().leaseForProbe(epoch, among, isNewest, now);
    }

    @Override
    public Optional<Instant> firstDue(Lane lane) {
        return counted().firstDue(lane);
    }

    @Override
    public Map<EventId, Payload> payloads(SourceId source, Collection<EventId> events) {
        return counted().payloads(source, events);
    }
}
