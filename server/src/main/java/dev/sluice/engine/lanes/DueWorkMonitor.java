package dev.sluice.engine.lanes;

import dev.sluice.engine.send.Dispatcher;
import dev.sluice.engine.send.HoldPolicy;
import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;

import java.time.Duration;
import java.time.InstantSource;

/// Detects due deliveries that have been waiting too long. A waiting delivery counts only if it is
/// not on hold, for example because of a pause or an open circuit. In addition, its destination
/// must have no attempt in progress, and must not be held back by its rate limit or its
/// `max_in_flight`. A destination with an attempt in progress is being served, however slowly, so
/// its other deliveries do not count. For lanes that no node has leased, the monitor knows only
/// about this node's attempts.
///
/// A delivery that counts is waiting in one of three places: in a lane that no node has leased, in
/// a leased lane that cannot be loaded, or in memory for a permit. To find deliveries in lanes that
/// no node has leased, each round queries the lanes that have been due longest. [Backlog] and
/// [Dispatcher] track the deliveries in the other two places.
public final class DueWorkMonitor implements Loop.Step {

    public static final Duration INTERVAL = Duration.ofSeconds(5);

    /// A delivery counts as late if it has been due for longer than this without starting.
    static final Duration MAX_DELAY = Duration.ofSeconds(30);

    /// A late lane is reported only after this many rounds in a row have found one, because lanes
    /// are briefly late after a server restarts.
    private static final int MIN_LATE_ROUNDS = 3;

    private static final Duration MIN_LATENESS =
            MAX_DELAY.minus(INTERVAL.multipliedBy(MIN_LATE_ROUNDS - 1));

    /// The maximum number of overdue lanes checked in one round. A lane does not count as late if
    /// an attempt at its destination is in progress, or if the destination was just put on hold.
    /// The maximum is high because one workspace can have thousands of lanes that do not count, and
    /// these must not hide another workspace's late lane.
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

    /// Whether due deliveries have been waiting for longer than [#MAX_DELAY], according to the last
    /// rounds of this monitor, [Backlog] and [Dispatcher]. Runs no query.
    public boolean isLate() {
        return isLaneLate || backlog.isBlockedFor(MAX_DELAY) || dispatcher.isStarvedFor(MAX_DELAY);
    }
}
