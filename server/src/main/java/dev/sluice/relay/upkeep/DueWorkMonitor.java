package dev.sluice.relay.upkeep;

import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.dispatch.Backlog;
import dev.sluice.relay.dispatch.Dispatcher;
import dev.sluice.relay.dispatch.HoldPolicy;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;

import java.time.Duration;
import java.time.InstantSource;

/// Detects due deliveries that are not started, although nothing of their own destination holds
/// them back: no pause, no rate limit, no full `max_in_flight`, no open circuit.
///
/// They wait in one of three places: in a lane that no node leases, in a leased lane that cannot be
/// read, or in memory for a permit. A round asks only for the lanes that have been due for longest;
/// the other two keep note of it themselves.
public final class DueWorkMonitor implements Loop.Step {

    public static final Duration INTERVAL = Duration.ofSeconds(5);

    /// How late due work may start.
    static final Duration MAX_DELAY = Duration.ofSeconds(30);

    /// The number of rounds in a row that must find a late lane. The lanes of a server that was
    /// stopped are late for a moment when it starts.
    private static final int MIN_LATE_ROUNDS = 3;

    private static final Duration MIN_LATENESS =
            MAX_DELAY.minus(INTERVAL.multipliedBy(MIN_LATE_ROUNDS - 1));

    /// Maximum number of late lanes looked at. Those on hold may be among them for a moment.
    private static final int MAX_LANES = 64;

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
                .isPresent();
    }

    /// Whether due work waits for longer than it should. Costs no query.
    public boolean isLate() {
        return isLaneLate || backlog.isBlockedFor(MAX_DELAY) || dispatcher.isStarvedFor(MAX_DELAY);
    }
}
