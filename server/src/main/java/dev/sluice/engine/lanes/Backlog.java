package dev.sluice.engine.lanes;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.Lease;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.send.AttemptRunner;
import dev.sluice.engine.send.DispatchEnvironment;
import dev.sluice.engine.send.Dispatcher;
import dev.sluice.engine.send.HoldPolicy;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.engine.share.RoundRobin;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.routing.HoldReason;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RouteDeletion;
import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/// Loads waiting deliveries into memory when they are due. Waiting deliveries include retries,
/// resends, deliveries that found no room in memory, and deliveries that were on hold.
///
/// A node leases whole lanes. A lane is the queue of one connection's deliveries in the database.
/// The node reads a few due deliveries from the front of each lane and hands them to the
/// dispatcher. It reads more from a lane once the number of the lane's deliveries in memory has
/// dropped to half of the lane's limit. A lane with a million deliveries therefore uses no more
/// memory than a lane with a few hundred. A lane that was read to its end is not read again
/// immediately. It rests until one of its deliveries leaves memory, the next delivery is due, the
/// lane is woken, or some time has passed (see [LaneReader]).
///
/// A round reads leased lanes of live deliveries, then lanes of resends; workspaces take turns.
/// Live deliveries come from ingest; resends were requested by a user. A lane that cannot be read
/// does not stop the round. If the circuit of a lane's destination is not closed and a probe is
/// due, the lane is lent to [ProbeLoop], which has its own thread. If no probe is due, the lane is
/// released until the next one is. Used by one thread only, except where a method says otherwise.
public final class Backlog implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(Backlog.class);

    /// The maximum number of lanes of live deliveries read in one round. The next round then leases
    /// new lanes before it reads more.
    private static final int MAX_READS_PER_ROUND = 512;

    /// Two per-round limits on work that must not delay live deliveries: the number of resend lanes
    /// that are read, and the number of lanes that are released because they are on hold.
    private static final int MAX_RESEND_READS_PER_ROUND = 16;

    private static final int MAX_PARKED_LANES_PER_ROUND = 64;

    /// Once reading has failed for this many lanes in one round, the round ends. These lanes then
    /// rest, so the next round reads other lanes.
    private static final int MAX_FAILED_LANES_PER_ROUND = 8;

    /// While live deliveries of the same destination are waiting in memory, the number of
    /// deliveries that a resend lane may have in memory is divided by this.
    private static final int RESEND_SHARE_DIVISOR = 16;

    /// How long a lane rests if there is no memory for its probe. Without the rest, every round
    /// would claim the probe again and write the circuit's row.
    private static final Duration NO_ROOM_REST = Duration.ofSeconds(1);

    private static final Duration UNKNOWN_CONNECTION_RETRY_INTERVAL = Duration.ofSeconds(1);

    private final Lanes lanes;
    private final LaneLeases leases;
    private final LaneLoader loader;
    private final ProbeLoop probeLoop;
    private final RoutingTable routing;
    private final Lease node;
    private final Dispatcher dispatcher;
    private final Circuits circuits;
    private final HoldPolicy holdPolicy;
    private final InstantSource clock;

    /// The lanes that are lent to the probe loop.
    private final Set<LaneReader> lent = new HashSet<>();

    /// The lanes that the probe loop has returned, and that are not taken back yet.
    private final Deque<ProbeLoop.Handover.ReturnedLane> returned = new ArrayDeque<>();

    /// The number of lanes for which this round has queried the database so far, counted separately
    /// for live deliveries and resends.
    private int reads;

    private int parked;
    private int failedLanes;

    /// The time at which the longest-blocked lane became blocked; [Instant#MAX] if no lane is
    /// blocked. Read by other threads.
    private volatile Instant blockedSince = Instant.MAX;

    /// @param nanos the monotonic clock of this process
    public Backlog(
            DispatchEnvironment environment,
            Lanes lanes,
            Dispatcher dispatcher,
            AttemptRunner attemptRunner,
            LongSupplier nanos) {
        this.routing = environment.routing();
        this.node = environment.node();
        this.circuits = environment.circuits();
        this.clock = environment.clock();
        this.lanes = lanes;
        this.dispatcher = dispatcher;
        this.leases = new LaneLeases(lanes, clock, nanos);
        this.loader = new LaneLoader(environment, lanes, dispatcher, attemptRunner);
        this.probeLoop =
                new ProbeLoop(
                        environment,
                        lanes,
                        new LaneLoader(environment, lanes, dispatcher, attemptRunner));
        this.holdPolicy = new HoldPolicy(circuits);
    }

    /// Returns the loop that sends probes; the caller must run its rounds.
    public ProbeLoop probeLoop() {
        return probeLoop;
    }

    /// Returns how long the next round may wait if nothing wakes it: until a lane is due, but at
    /// most five seconds. Negative while this node has leased lanes.
    public Duration rest() {
        return leases.untilNextDue();
    }

    @Override
    public boolean run() throws InterruptedException {
        leases.forgetNextDue(); // the wake-up that began this round may be for a lane that is due
        if (leases.epoch() != node.epoch()) {
            leases.setEpoch(node.epoch());
            lent.clear();
        }
        forgetWritten();
        if (!node.mayStart()) {
            return false;
        }
        var parts = new RoundParts();
        parts.run(this::adoptLanesOfLostReplies);
        parts.run(leases::leaseMore);
        parts.run(this::takeBackLanes);
        parked = 0;
        failedLanes = 0;
        boolean isMore = false;
        try {
            isMore |= readLanes(Trigger.INGEST, MAX_READS_PER_ROUND);
            isMore |= readLanes(Trigger.RESEND, MAX_RESEND_READS_PER_ROUND);
        } finally {
            blockedSince =
                    leases.readers().stream()
                            .map(LaneReader::blockedSince)
                            .min(Comparator.naturalOrder())
                            .orElse(Instant.MAX);
        }
        parts.end();
        return isMore;
    }

    /// Whether, as of the last round, any leased lane has been blocked for longer than `time`. A
    /// lane is blocked if reading it fails or if there is no memory for its deliveries.
    /// Thread-safe.
    public boolean isBlockedFor(Duration time) {
        return blockedSince.isBefore(clock.instant().minus(time));
    }

    private void forgetWritten() {
        for (var written = dispatcher.pollWritten();
                written.isPresent();
                written = dispatcher.pollWritten()) {
            takeInHandovers(); // a probe may be of a lane that only the probe loop knows
            var delivery = written.get();
            leases.find(Lane.of(delivery)).ifPresent(reader -> reader.forget(delivery));
        }
    }

    private void adoptLanesOfLostReplies() {
        if (leases.adoptLost(this::takeInAll)) {
            dispatcher.forgetDeleted();
        }
    }

    /// Takes in the lanes that the probe loop has leased. Returns whether these are all: while the
    /// probe loop is leasing a lane, a row may name this node as the owner of a lane that only the
    /// probe loop knows.
    private boolean takeInAll() {
        boolean isAll = !probeLoop.isLeasing();
        takeInHandovers();
        return isAll;
    }

    /// Takes in the lanes that the probe loop has leased, and notes those that it returns.
    private void takeInHandovers() {
        for (var next = probeLoop.pollHandover();
                next.isPresent();
                next = probeLoop.pollHandover()) {
            switch (next.get()) {
                case ProbeLoop.Handover.ChosenLane leased -> {
                    if (leased.epoch() == leases.epoch()) {
                        leases.takeIn(leased.reader());
                        lent.add(leased.reader());
                    }
                }
                case ProbeLoop.Handover.ReturnedLane back -> returned.add(back);
            }
        }
    }

    private void takeBackLanes() {
        takeInHandovers();
        for (var next = returned.poll(); next != null; next = returned.poll()) {
            if (lent.remove(next.reader()) && leases.contains(next.reader())) {
                takeBack(next.reader(), next.answer());
            }
        }
    }

    private void takeBack(LaneReader reader, ProbeLoop.ProbeAnswer answer) {
        switch (answer) {
            case KEEP -> {}
            case NOTHING_DUE -> leases.release(reader, lanes.firstDue(reader.lane()));
            case NO_PROBE -> sleepUntilNextTry(reader);
            case NO_ROOM -> {
                reader.blocked(clock.instant());
                reader.restFor(clock.instant(), NO_ROOM_REST);
            }
            case FAILED -> reader.failed(clock.instant());
        }
    }

    /// Reads lanes of live deliveries or of resends, up to the limit. Workspaces take turns. Lanes
    /// that were read come last in the next round. Returns whether the next round should follow
    /// immediately, because there may be more to read.
    private boolean readLanes(Trigger trigger, int maxReads) throws InterruptedException {
        var turns = new RoundRobin<WorkspaceId, LaneReader>();
        readers(trigger).forEach(reader -> turns.add(reader.workspace(), reader));
        reads = 0;
        long admittedBefore = loader.admitted();
        int leasedBefore = leases.readers().size();
        boolean isMore = false;
        for (var next = turns.poll(); next.isPresent(); next = turns.poll()) {
            if (reads >= maxReads) {
                return loader.admitted() > admittedBefore
                        || leases.readers().size() < leasedBefore; // otherwise the memory is full
            }
            int before = reads;
            isMore |= readLaneApart(next.get());
            if (reads > before) {
                leases.putLast(next.get());
            }
        }
        return isMore;
    }

    private List<LaneReader> readers(Trigger trigger) {
        var now = clock.instant();
        return leases.readers().stream()
                .filter(reader -> reader.lane().trigger() == trigger)
                .filter(reader -> !reader.isResting(now) && !lent.contains(reader))
                .toList();
    }

    /// Reads a lane, and lets it rest if that fails. Throws the exception, which ends the round,
    /// only if the database connection was lost, or if so many lanes have failed that the database
    /// is probably the cause.
    private boolean readLaneApart(LaneReader reader) throws InterruptedException {
        try {
            reader.beginRound();
            boolean isMore = readLane(reader);
            reader.endRound();
            return isMore;
        } catch (RuntimeException e) {
            reader.failed(clock.instant());
            failedLanes++;
            if (failedLanes == MAX_FAILED_LANES_PER_ROUND
                    || (e instanceof DbException lost && lost.isConnectionLost())) {
                throw e;
            }
            log.atWarn()
                    .addKeyValue("connection_id", reader.lane().connection())
                    .setCause(e)
                    .log("lane.read_failed");
            return false;
        }
    }

    /// Loads due deliveries from one lane. Returns true if the lane may have more due deliveries.
    private boolean readLane(LaneReader reader) throws InterruptedException {
        var route = routing.route(reader.lane().connection());
        if (route.isEmpty()) {
            return readUnknown(reader);
        }
        var hold = holdPolicy.holdOf(route.get(), reader.lane().trigger());
        if (hold.isPresent()) {
            reader.rouse(); // deliveries that arrived during the hold did not wake the lane
            return hold.get() == HoldReason.CIRCUIT_OPEN
                    ? probeOrSleep(reader, route.get())
                    : park(reader);
        }
        return !reader.isRestingAtEnd(clock.instant()) && load(reader, route.get());
    }

    /// Ends the deliveries of a lane whose connection was deleted. If this node does not know the
    /// connection yet, releases the lane for one second. By then, this node has usually read the
    /// new connection.
    private boolean readUnknown(LaneReader reader) throws InterruptedException {
        var gone = routing.deletion(reader.lane().connection());
        if (gone.isEmpty()) {
            reads++;
            leases.release(
                    reader, Optional.of(clock.instant().plus(UNKNOWN_CONNECTION_RETRY_INTERVAL)));
            return false;
        }
        return !reader.isRestingAtEnd(clock.instant()) && endAll(reader, gone.get());
    }

    private boolean endAll(LaneReader reader, RouteDeletion deletion) throws InterruptedException {
        reads++;
        int ended = loader.endAll(reader, deletion);
        if (ended == 0 && reader.inMemory() == 0) {
            leases.release(reader, Optional.empty());
        }
        reader.restAtEnd(clock.instant(), leases.restAtEnd(reader.lane()));
        return ended == LaneLoader.MAX_DELIVERIES_PER_LOAD;
    }

    private boolean load(LaneReader reader, Route route) throws InterruptedException {
        int maximum = maxInMemory(reader.lane(), route.destination());
        int limit = Math.min(maximum - reader.inMemory(), loader.maxDeliveries());
        if (reader.inMemory() * 2 > maximum || limit <= 0) {
            return false; // more are loaded when half of these are done
        }
        if (!loader.hasRoom(reader, route)) {
            if (reader.inMemory() == 0) {
                reader.blocked(clock.instant());
            }
            return false; // reading payloads would be wasted work
        }
        reads++;
        var load = loader.load(reader, route, limit, leases.epoch());
        if (reader.foundNothing() && reader.inMemory() == 0) {
            leases.release(reader, lanes.firstDue(reader.lane()));
        } else if (load.isComplete()) {
            reader.restAtEnd(clock.instant(), leases.restAtEnd(reader.lane()));
        }
        return load.taken() == limit;
    }

    /// Handles a lane whose circuit is not closed. If a probe (the one attempt that tests the
    /// destination) is due and there is memory for it, lends the lane to the probe loop. If no
    /// probe is due, releases the lane until the next one is. Does nothing while any of the lane's
    /// deliveries are in memory.
    private boolean probeOrSleep(LaneReader reader, Route route) {
        if (reader.inMemory() > 0) {
            return false; // the probe, or deliveries from before the circuit opened
        }
        if (!circuits.of(route.destination().id()).isProbeDue(clock.instant())) {
            reads++;
            sleepUntilNextTry(reader);
        } else if (loader.hasRoom(reader, route)) {
            lent.add(reader);
            probeLoop.lend(reader, route.destination().id(), leases.epoch());
        }
        return false;
    }

    private void sleepUntilNextTry(LaneReader reader) {
        var now = clock.instant();
        var lane = reader.lane();
        leases.release(
                reader,
                routing.route(lane.connection())
                        .flatMap(route -> holdPolicy.wakeAt(route, lane.trigger(), now))
                        .or(() -> Optional.of(now)));
    }

    /// Releases a lane that is on hold, without a wake-up time: the change that lifts the hold will
    /// wake it. Does nothing while any of the lane's deliveries are in memory. If this round has
    /// already released as many lanes as it may, returns true and leaves this lane to the next
    /// round.
    ///
    /// If the hold was lifted just before the release, [dev.sluice.engine.lanes.LaneSweeper] may
    /// have skipped the lane because it was leased. This method therefore checks the hold again
    /// afterwards, and wakes the lane if the hold has been lifted.
    private boolean park(LaneReader reader) {
        if (reader.inMemory() > 0) {
            return false;
        }
        if (parked == MAX_PARKED_LANES_PER_ROUND) {
            return true;
        }
        parked++;
        reads++;
        leases.release(reader, Optional.empty());
        var lane = reader.lane();
        var now = clock.instant();
        routing.route(lane.connection())
                .flatMap(route -> holdPolicy.wakeAt(route, lane.trigger(), now))
                .ifPresent(at -> lanes.wake(lane, at));
        return false;
    }

    /// Returns how many of the lane's deliveries may be in memory: twice the destination's
    /// `max_in_flight`. If the destination has a rate limit or a pace, the number is at most what
    /// that allows in one second. A resend lane gets only a fraction of that number while live
    /// deliveries to the same destination are waiting.
    private int maxInMemory(Lane lane, Destination destination) {
        var spec = destination.spec();
        int room = 2 * spec.maxInFlight();
        int limited = spec.rateLimit().map(limit -> Math.min(room, limit.perSecond())).orElse(room);
        int maximum = dispatcher.withinPace(destination.id(), limited);
        return lane.trigger() == Trigger.RESEND && dispatcher.hasLive(destination.id())
                ? Math.max(1, maximum / RESEND_SHARE_DIVISOR)
                : maximum;
    }

    /// Releases all lanes. Called after the dispatcher has stopped.
    public void leave() {
        takeInHandovers();
        leases.leave();
    }
}
