package dev.sluice.engine.send;

import static java.util.Objects.requireNonNull;

import dev.sluice.engine.share.FairPermits;
import dev.sluice.engine.share.PayloadMemory;
import dev.sluice.gateway.destination.DestinationId;

import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/// This node's in-memory state for one destination: its queue, its permits and its shares of the
/// payload memory. Thread-safe: each part does its own locking.
final class DestinationState {

    private final DestinationId destination;
    private final DestinationQueue queue;
    private final FairPermits.PermitHolder<DestinationState> permitHolder;
    private final Map<PayloadMemory.TrafficClass, PayloadMemory.MemoryShare> shares =
            new EnumMap<>(PayloadMemory.TrafficClass.class);

    /// When the destination was first seen with deliveries to send but no attempt in progress, or
    /// [Instant#MAX] if it is not in that state. The time is approximate because threads set it
    /// without a lock.
    private volatile Instant starvingSince = Instant.MAX;

    DestinationState(
            DestinationId destination, DestinationQueue queue, WorkspaceState workspaceState) {
        this.destination = destination;
        this.queue = queue;
        this.permitHolder = new FairPermits.PermitHolder<>(this, workspaceState.permits());
        for (var trafficClass : PayloadMemory.TrafficClass.values()) {
            shares.put(
                    trafficClass,
                    new PayloadMemory.MemoryShare(workspaceState.memory(), trafficClass));
        }
    }

    /// The counters of one workspace: the permits it holds and the payload memory it uses.
    record WorkspaceState(
            FairPermits.WorkspacePermits permits, PayloadMemory.WorkspaceMemory memory) {}

    /// Updates whether the destination is starving. A destination is starving if it has deliveries
    /// that could be sent now but no attempt in progress.
    void updateStarving(boolean isStarving, Instant now) {
        if (!isStarving) {
            starvingSince = Instant.MAX;
        } else if (starvingSince.equals(Instant.MAX)) {
            starvingSince = now;
        }
    }

    /// Records that the destination got a permit, so it is no longer starving.
    void gotPermit() {
        starvingSince = Instant.MAX;
    }

    /// Returns when the destination was first seen starving, or [Instant#MAX] if it is not
    /// starving.
    Instant starvingSince() {
        return starvingSince;
    }

    DestinationId destination() {
        return destination;
    }

    DestinationQueue queue() {
        return queue;
    }

    FairPermits.PermitHolder<DestinationState> permitHolder() {
        return permitHolder;
    }

    /// Whether the destination has no payload in memory and no reservation for one.
    boolean isEmpty() {
        return shares.values().stream().allMatch(PayloadMemory.MemoryShare::isEmpty);
    }

    PayloadMemory.MemoryShare share(PayloadMemory.TrafficClass trafficClass) {
        return requireNonNull(shares.get(trafficClass));
    }
}
