package dev.sluice.relay.upkeep;

import dev.sluice.gateway.routing.RouteMap;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.relay.dispatch.Holds;
import dev.sluice.relay.store.Accepted;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.Settled;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// Collects when lanes should wake, after commits that let something wait, and writes it in one
/// statement a round. What is lost here the [Sweep] finds.
public final class Wakes implements Loop.Step {

    private final Db db;
    private final RouteMap routing;
    private final Holds holds;
    private final ConcurrentHashMap<Lane, Instant> pending = new ConcurrentHashMap<>();

    public Wakes(Db db, RouteMap routing, Holds holds) {
        this.db = db;
        this.routing = routing;
        this.holds = holds;
    }

    /// Notes the lanes of deliveries that were stored as waiting.
    public void stored(List<Accepted> events, Instant now) {
        for (var event : events) {
            for (var planned : event.planned()) {
                if (!planned.isFresh()) {
                    var lane = new Lane(planned.connection(), Trigger.INGEST, event.source());
                    holds.wakeAt(planned.route(), Trigger.INGEST, now)
                            .ifPresent(at -> note(lane, at));
                }
            }
        }
    }

    /// Notes the lanes of deliveries that wait again. Those on hold stay asleep: another node may
    /// not have heard of the hold yet.
    public void written(List<Settled> effective) {
        for (var settled : effective) {
            switch (settled) {
                case Settled.Retried retried -> noteWaiting(retried.work(), retried.nextAt());
                case Settled.Released released -> noteWaiting(released.work(), released.nextAt());
                case Settled.Finished _ -> {}
            }
        }
    }

    private void noteWaiting(Work work, Instant due) {
        var route = routing.route(work.connection());
        var at =
                route.isEmpty() ? Optional.of(due) : holds.wakeAt(route.get(), work.trigger(), due);
        at.ifPresent(time -> note(Lane.of(work), time));
    }

    private void note(Lane lane, Instant at) {
        pending.merge(lane, at, (one, other) -> one.isBefore(other) ? one : other);
    }

    @Override
    public boolean run() {
        var wakes =
                pending.keySet().stream()
                        .flatMap(lane -> {
                            var at = pending.remove(lane);
                            return at == null
                                    ? Stream.of()
                                    : Stream.of(new LaneStore.Wake(lane, at));
                        })
                        .toList();
        if (!wakes.isEmpty()) {
            db.run(tx -> LaneStore.wake(tx, wakes));
        }
        return false;
    }
}
