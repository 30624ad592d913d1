package dev.sluice.relay.upkeep;

import dev.sluice.gateway.routing.Routing;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.dispatch.Holds;
import dev.sluice.relay.store.LaneStore;

import java.time.InstantSource;
import java.util.ArrayList;

/// The truth behind the lanes' hints: a round looks where something waits and wakes those lanes.
///
/// Lanes on hold stay asleep, those of an open circuit until it may be tried; those whose
/// connection or destination is gone wake at once, so that what waits there is ended.
public final class Sweep implements Loop.Step {

    private final Db db;
    private final Routing routing;
    private final Holds holds;
    private final InstantSource clock;

    public Sweep(Db db, Routing routing, Holds holds, InstantSource clock) {
        this.db = db;
        this.routing = routing;
        this.holds = holds;
        this.clock = clock;
    }

    @Override
    public boolean run() {
        var wakes = new ArrayList<LaneStore.Wake>();
        for (var wake : db.call(LaneStore::sweep)) {
            var route = routing.route(wake.lane().connection());
            if (route.isEmpty()) {
                if (routing.gone(wake.lane().connection()).isPresent()) {
                    wakes.add(new LaneStore.Wake(wake.lane(), clock.instant()));
                }
            } else {
                holds.wakeAt(route.get(), wake.lane().trigger(), wake.at())
                        .ifPresent(at -> wakes.add(new LaneStore.Wake(wake.lane(), at)));
            }
        }
        if (!wakes.isEmpty()) {
            db.run(tx -> LaneStore.wake(tx, wakes));
        }
        return false;
    }
}
