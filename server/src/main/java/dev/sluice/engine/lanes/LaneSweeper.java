package dev.sluice.engine.lanes;

import dev.sluice.engine.send.HoldPolicy;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Halving;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Optional;

/// Wakes lanes ([Lane]) whose wake-up time was lost. Each round finds all lanes that contain
/// waiting deliveries and corrects their wake-up times.
///
/// The rows of the deliveries are authoritative; a lane's wake-up time is only a hint. Lanes on
/// hold stay asleep, and lanes behind an open circuit sleep until the circuit's next probe is due.
/// Lanes that belong to a deleted connection or destination wake immediately, so that their
/// deliveries are ended.
///
/// A lane that a node has leased is not changed, because that node reads it again from time to
/// time. A lane that wakes early enough is not changed either.
///
/// If one lane fails, the rest are still corrected. A round also corrects due times that are too
/// far in the future because the clock was set back after they were stored.
public final class LaneSweeper implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(LaneSweeper.class);

    /// No delivery is ever scheduled further ahead than this. The limit is twice the longest retry
    /// interval, so no wait can reach it, even with jitter or `Retry-After`.
    private static final Duration MAX_WAIT = Duration.ofDays(2);

    /// The maximum number of due times corrected for each lane in one round.
    private static final int REPAIR_BATCH_ROWS = 5_000;

    private static final Duration INTERVAL = Duration.ofSeconds(10);

    /// The minimum wait between two rounds. A round reads all lanes, and each configuration change
    /// wakes the sweeper. Without this wait, a user with an API key could cause many rounds per
    /// second.
    static final Duration MIN_GAP = Duration.ofSeconds(1);

    private final Db db;
    private final ConfigurationCache configuration;
    private final HoldPolicy holdPolicy;
    private final InstantSource clock;
    private final Runnable lanesWoken;

    /// @param lanesWoken called when wake-up times have been corrected; must return quickly
    public LaneSweeper(
            Db db,
            ConfigurationCache configuration,
            HoldPolicy holdPolicy,
            InstantSource clock,
            Runnable lanesWoken) {
        this.db = db;
        this.configuration = configuration;
        this.holdPolicy = holdPolicy;
        this.clock = clock;
        this.lanesWoken = lanesWoken;
    }

    /// Returns the chore that runs this sweeper regularly and after each configuration change. The
    /// next round handles all changes made within [#MIN_GAP] after a round.
    ///
    /// @param configurationChanged called after each configuration change
    public Chore chore(Wake configurationChanged) {
        return new Chore("sweep", INTERVAL, this).withGap(MIN_GAP).wokenBy(configurationChanged);
    }

    @Override
    public boolean run() {
        var parts = new RoundParts();
        var wakes = new ArrayList<LaneStore.LaneWake>();
        for (var found : db.call(LaneStore::sweep)) {
            parts.run(() ->
                    wakeOf(found.needed())
                            .filter(wake -> !found.wakesBy(wake.at()))
                            .ifPresent(wakes::add));
        }
        try {
            Halving.run(wakes, part -> db.run(tx -> LaneStore.wakeUnleased(tx, part)))
                    .values()
                    .forEach(parts::failed);
        } finally {
            if (!wakes.isEmpty()) {
                lanesWoken.run();
            }
        }
        parts.end();
        return false;
    }

    /// Returns when a lane must wake. Returns empty if it must stay asleep, or if this node does
    /// not know its connection yet.
    private Optional<LaneStore.LaneWake> wakeOf(LaneStore.LaneWake found) {
        var wake = withinMaxWait(found, clock.instant());
        var route = configuration.route(wake.lane().connection());
        if (route.isEmpty()) {
            return configuration
                    .deletion(wake.lane().connection())
                    .map(_ -> new LaneStore.LaneWake(wake.lane(), clock.instant()));
        }
        return holdPolicy
                .wakeAt(route.get(), wake.lane().trigger(), wake.at())
                .map(at -> new LaneStore.LaneWake(wake.lane(), at));
    }

    /// Returns when the lane must wake. If the lane's first delivery is due too far in the future,
    /// then all its deliveries are. In that case, up to [#REPAIR_BATCH_ROWS] of them become due
    /// now.
    private LaneStore.LaneWake withinMaxWait(LaneStore.LaneWake found, Instant now) {
        var latest = now.plus(MAX_WAIT);
        if (!found.at().isAfter(latest)) {
            return found;
        }
        int deliveries =
                db.call(tx ->
                        ScheduleRepairStore.bringForward(
                                tx, found.lane(), latest, now, REPAIR_BATCH_ROWS));
        log.atWarn()
                .addKeyValue("connection_id", found.lane().connection())
                .addKeyValue("deliveries", deliveries)
                .log("schedule.corrected");
        return new LaneStore.LaneWake(found.lane(), now);
    }
}
