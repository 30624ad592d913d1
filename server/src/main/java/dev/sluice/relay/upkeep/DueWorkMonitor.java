package dev.sluice.relay.upkeep;

import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.dispatch.Dispatcher;
import dev.sluice.relay.dispatch.HoldPolicy;
import dev.sluice.relay.lanes.Backlog;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;

import java.time.Duration;
import java.time.InstantSource;

/// Detects due deliveries that wait too long. Their destination has no attempt in progress,
/// although neither a pause, its circuit, its rate limit nor its `max_in_flight` holds it back. A
/// destination with an attempt in progress makes progress, however slow, so its other deliveries do
/// not count. For lanes that no node has leased, only the attempts of this node are known.
///
/// Such deliveries wait in one of three places: in a lane that no node has leased, in a leased lane
/// that cannot be loaded, or in memory for a permit. For the first case, a round queries the lanes
/// that have been due longest. [Backlog] and [Dispatcher] track the other two cases.
public final class DueWorkMonitor implements Loop.Step {

    public static final Duration INTERVAL = Duration.ofSeconds(5);

    /// The maximum delay with which due deliveries may start before they count as late.
    static final Duration MAX_DELAY = Duration.ofSeconds(30);

    /// The number of rounds in a row that must find a late lane. When a server starts again after a
    /// stop, its lanes are late for a short time.
    private static final int MIN_LATE_ROUNDS = 3;

    private static final Duration MIN_LATENESS =
            MAX_DELAY.minus(INTERVAL.multipliedBy(MIN_LATE_ROUNDS - 1));

    /// Maximum number of late lanes checked in one round. Lanes whose destination is just being
    /// sent to, or was just put on hold, do not count as late. One workspace can have thousands of
    /// them, and they must not hide the lane of another one.
    static final int MAX_LANES = 4_096;

    private final Db db;
    private final RoutingTable routing;
    private final HoldPolicy holdPolicy;
    private final Backlog backlog;
    private final Dispatcher dispatcher;
    private final InstantSource clock;

    /// Used only by the thread that runs the rounds.
    private int lateRounds;

    private volatile boolean isLaneLate;

    public DueWorkMonitor(
            Db db,
            RoutingTable routing,
            HoldPolicy holdPolicy,
            Backlog backlog,
            Dispatcher dispatcher,
            InstantSource clock) {
        this.db = db;
        this.routing = routing;
        this.holdPolicy = holdPolicy;
        this.backlog = backlog;
        this.dispatcher = dispatcher;
        this.clock = clock;
    }

    @Override
    public boolean run() {
        var before = clock.instant().minus(MIN_LATENESS);
        boolean isLate =
                db.call(tx -> LaneStore.due(tx, before, MAX_LANES)).stream()
                        .anyMatch(this::isFreeToStart);
        lateRounds = isLate ? lateRounds + 1 : 0;
        isLaneLate = lateRounds >= MIN_LATE_ROUNDS;
        return false;
    }

    private boolean isFreeToStart(Lane lane) {
        return routing.route(lane.connection())
                .filter(route -> holdPolicy.holdOf(route, lane.trigger()).isEmpty())
                .filter(route -> !dispatcher.isSending(route.destination().id()))
                .isPresent();
    }

    /// Whether due deliveries have waited for longer than [#MAX_DELAY], as far as the last rounds
    /// of this monitor, [Backlog] and [Dispatcher] found. Needs no query.
    public boolean isLate() {
        return isLaneLate || backlog.isBlockedFor(MAX_DELAY) || dispatcher.isStarvedFor(MAX_DELAY);
    }
}
