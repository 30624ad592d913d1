package dev.sluice.engine.lanes;

import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.AcceptedEvent;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.send.HoldPolicy;
import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// Sets the wake-up times of lanes ([Lane]) after commits that leave deliveries waiting. Each round
/// sets all pending wake-up times in one transaction. If an update is lost, [LaneSweeper] corrects
/// the wake-up time. Thread-safe.
public final class LaneWaker implements Loop.Step {

    private final Db db;
    private final RoutingTable routing;
    private final HoldPolicy holdPolicy;
    private final ConcurrentHashMap<Lane, Instant> pending = new ConcurrentHashMap<>();
    private final Wake wake;
    private final Wake backlog;

    /// @param wake called when there are lanes to wake
    /// @param backlog called when wake-up times have been set
    public LaneWaker(Db db, RoutingTable routing, HoldPolicy holdPolicy, Wake wake, Wake backlog) {
        this.db = db;
        this.routing = routing;
        this.holdPolicy = holdPolicy;
        this.wake = wake;
        this.backlog = backlog;
    }

    /// Records the lanes of deliveries that were stored as waiting; the next round sets their
    /// wake-up times. Leaves out lanes that the configuration puts on hold.
    public void stored(List<AcceptedEvent> events, Instant now) {
        for (var event : events) {
            for (var planned : event.deliveries()) {
                if (!planned.isFresh()) {
                    var lane = new Lane(planned.connection(), Trigger.INGEST, event.source());
                    holdPolicy
                            .wakeAt(planned.route(), Trigger.INGEST, now)
                            .ifPresent(at -> schedule(lane, at));
                }
            }
        }
    }

    /// Records the lanes of deliveries that are waiting again; the next round sets their wake-up
    /// times. Leaves out lanes that the configuration puts on hold, because otherwise a node that
    /// does not know about the hold yet could send their deliveries.
    public void written(List<DeliveryResult> effective) {
        for (var result : effective) {
            switch (result) {
                case DeliveryResult.RetryResult retried ->
                        scheduleWaiting(retried.delivery(), retried.nextAt());
                case DeliveryResult.ReleaseResult released ->
                        scheduleWaiting(released.delivery(), released.nextAt());
                case DeliveryResult.FinalResult _ -> {}
            }
        }
    }

    private void scheduleWaiting(UnfinishedDelivery delivery, Instant due) {
        var route = routing.route(delivery.connection());
        var at =
                route.isEmpty()
                        ? Optional.of(due)
                        : holdPolicy.wakeAt(route.get(), delivery.trigger(), due);
        at.ifPresent(time -> schedule(Lane.of(delivery), time));
    }

    private void schedule(Lane lane, Instant at) {
        pending.merge(lane, at, (one, other) -> one.isBefore(other) ? one : other);
        wake.wake();
    }

    @Override
    public boolean run() {
        var wakes =
                pending.keySet().stream()
                        .flatMap(lane -> {
                            var at = pending.remove(lane);
                            return at == null
                                    ? Stream.of()
                                    : Stream.of(new LaneStore.LaneWake(lane, at));
                        })
                        .toList();
        if (!wakes.isEmpty()) {
            try {
                db.run(tx -> LaneStore.wake(tx, wakes));
            } finally {
                backlog.wake(); // the reply to a commit may be lost
            }
        }
        return false;
    }
}
