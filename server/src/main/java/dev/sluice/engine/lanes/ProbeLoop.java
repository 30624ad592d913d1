package dev.sluice.engine.lanes;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.Lease;
import dev.sluice.engine.send.DispatchEnvironment;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.engine.settle.Probe;
import dev.sluice.engine.share.RoundRobin;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Starts probes: the attempts that test destinations whose circuit is not closed. For each probe,
/// the loop claims the probe, then chooses the delivery to send among all lanes of the destination
/// ([ProbeStore]) and leases its lane. The loop runs on its own thread, so that even ten thousand
/// probes at once do not delay other lanes.
///
/// When a lane's probe is due, [Backlog] lends the lane to this loop. [Backlog] gets the lane back
/// with a [ProbeAnswer], which says what to do with it. It also gets the lanes that this loop has
/// leased. Workspaces take turns. A lane that cannot be read does not affect other lanes. A round
/// handles one lane; rounds must run on one thread.
public final class ProbeLoop implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(ProbeLoop.class);

    /// What [Backlog] should do with a lane that was lent.
    enum ProbeAnswer {
        /// Keep the lane leased: one of its deliveries is in memory, the lane is resting, or its
        /// connection was deleted in the meantime.
        KEEP,
        /// Release the lane until its first delivery is due.
        NOTHING_DUE,
        /// Release the lane until the circuit's next probe is due: no probe is due now, or another
        /// lane has claimed it.
        NO_PROBE,
        /// Let the lane rest, because there is no memory for the payload of its first delivery.
        NO_ROOM,
        /// Let the lane rest, because it could not be read.
        FAILED
    }

    /// A lane that was lent.
    ///
    /// @param destination the destination of the lane's connection
    /// @param epoch the epoch under which the lane was leased
    private record LentLane(LaneReader reader, DestinationId destination, long epoch) {

        Lane lane() {
            return reader.lane();
        }
    }

    /// What this loop hands to [Backlog].
    sealed interface Handover {

        /// A lane that this loop has leased itself, because it holds the delivery to send. It
        /// counts as lent.
        record ChosenLane(LaneReader reader, long epoch) implements Handover {}

        /// A lane on its way back.
        record ReturnedLane(LaneReader reader, ProbeAnswer answer) implements Handover {}
    }

    private final RoutingTable routing;
    private final Circuits circuits;
    private final LaneLoader loader;
    private final InstantSource clock;

    /// Guarded by this object's monitor.
    private final RoundRobin<WorkspaceId, LentLane> lent = new RoundRobin<>();

    /// The lanes in `lent` by destination, so that a probe can be sent from each of them. Guarded
    /// by this object's monitor.
    private final Map<DestinationId, Map<Lane, LentLane>> lentTo = new HashMap<>();

    private final Queue<Handover> handovers = new ConcurrentLinkedQueue<>();

    /// Whether this loop may have leased a lane that is not in `handovers` yet.
    private volatile boolean isLeasing;

    private final Lanes lanes;
    private final Lease node;
    private final Wake wake;
    private final Wake backlog;

    ProbeLoop(DispatchEnvironment environment, Lanes lanes, LaneLoader loader) {
        this.routing = environment.routing();
        this.circuits = environment.circuits();
        this.clock = environment.clock();
        this.wake = environment.wakes().probes();
        this.backlog = environment.wakes().backlog();
        this.node = environment.node();
        this.lanes = lanes;
        this.loader = loader;
    }

    /// Lends a lane to this loop. The caller must not read the lane until [#pollHandover] returns
    /// it.
    void lend(LaneReader reader, DestinationId destination, long epoch) {
        var lane = new LentLane(reader, destination, epoch);
        synchronized (this) {
            lent.add(reader.workspace(), lane);
            lentTo.computeIfAbsent(destination, _ -> new HashMap<>()).put(lane.lane(), lane);
        }
        wake.wake();
    }

    private synchronized Optional<LentLane> nextLent() {
        var next = lent.poll();
        next.ifPresent(lane ->
                lentTo.computeIfPresent(
                        lane.destination(),
                        (_, lanes) -> {
                            lanes.remove(lane.lane(), lane);
                            return lanes.isEmpty() ? null : lanes;
                        }));
        return next;
    }

    /// Returns the lanes of the destination that this loop may read: the given one, and those that
    /// wait in line and were lent under the same epoch.
    private synchronized Map<Lane, LentLane> readable(LentLane asking) {
        var readable = new HashMap<Lane, LentLane>();
        readable.put(asking.lane(), asking);
        for (var other : lentTo.getOrDefault(asking.destination(), Map.of()).values()) {
            if (other.epoch() == asking.epoch()) {
                readable.putIfAbsent(other.lane(), other);
            }
        }
        return readable;
    }

    /// Removes and returns the next lane for [Backlog], or empty if there is none.
    Optional<Handover> pollHandover() {
        return Optional.ofNullable(handovers.poll());
    }

    /// Whether this loop may have leased a lane that [#pollHandover] does not return yet.
    boolean isLeasing() {
        return isLeasing;
    }

    private void handOver(Handover handover) {
        handovers.add(handover);
        backlog.wake();
    }

    @Override
    public boolean run() throws InterruptedException {
        var next = nextLent();
        if (next.isEmpty()) {
            return false;
        }
        var answer = ProbeAnswer.FAILED;
        try {
            answer = probe(next.get());
        } catch (RuntimeException e) {
            if (e instanceof DbException lost && lost.isConnectionLost()) {
                throw e;
            }
            log.atWarn()
                    .addKeyValue("connection_id", next.get().reader().lane().connection())
                    .setCause(e)
                    .log("lane.read_failed");
        } finally {
            handOver(new Handover.ReturnedLane(next.get().reader(), answer));
        }
        return true;
    }

    private ProbeAnswer probe(LentLane lane) throws InterruptedException {
        var reader = lane.reader();
        var found = routing.route(reader.lane().connection());
        if (found.isEmpty()) {
            return ProbeAnswer.KEEP; // the connection was deleted in the meantime
        }
        var route = found.get();
        var destination = route.destination();
        if (!circuits.of(destination.id()).isProbeDue(clock.instant())) {
            return ProbeAnswer.NO_PROBE;
        }
        var first = loader.firstToSend(reader, route, lane.epoch());
        if (first.isEmpty()) {
            return reader.inMemory() > 0 ? ProbeAnswer.KEEP : ProbeAnswer.NOTHING_DUE;
        }
        var probe = circuits.claimProbe(destination);
        if (probe.isEmpty()) {
            return ProbeAnswer.NO_PROBE;
        }
        boolean isSent = false;
        try {
            isSent = sendBest(lane, route, first.get(), probe.get());
        } finally {
            giveBackUnlessSent(isSent, probe.get());
        }
        return isSent && reader.inMemory() == 0
                ? ProbeAnswer.NO_PROBE // it was sent from another lane
                : answer(reader, isSent);
    }

    /// Returns what to do with a lane from which a delivery was to be sent.
    private ProbeAnswer answer(LaneReader reader, boolean isSent) {
        boolean isSettled = isSent || reader.inMemory() > 0 || reader.isResting(clock.instant());
        return isSettled ? ProbeAnswer.KEEP : ProbeAnswer.NO_ROOM;
    }

    /// Sends the delivery that [ProbeStore] chooses among all lanes of the destination. If there is
    /// none that can be sent, sends the first delivery of the lane that asks.
    private boolean sendBest(
            LentLane asking, Route route, LaneStore.WaitingDelivery first, Probe probe)
            throws InterruptedException {
        var chosen = choose(asking, probe);
        if (chosen.isPresent() && sendChosen(chosen.get(), probe)) {
            return true;
        }
        var tried = chosen.map(each -> each.waiting().delivery().id());
        return !tried.equals(Optional.of(first.delivery().id()))
                && loader.loadProbe(asking.reader(), route, first, probe, asking.epoch());
    }

    /// A delivery to send, in a lane that this loop may read.
    ///
    /// @param isLeasedHere whether this loop has just leased the lane
    private record ChosenDelivery(
            LentLane lane, LaneStore.WaitingDelivery waiting, boolean isLeasedHere) {}

    /// Chooses the delivery, and leases its lane. If this loop did not have the lane before, hands
    /// it to [Backlog] before anything of it is in memory.
    private Optional<ChosenDelivery> choose(LentLane asking, Probe probe) {
        if (node.epoch() != asking.epoch()) {
            return Optional.empty();
        }
        var readable = readable(asking);
        isLeasing = true;
        try {
            return lanes.leaseForProbe(
                            asking.epoch(),
                            new ProbeStore.ProbeLanes(probe.destination(), readable.keySet()),
                            probe.isNewestTurn(),
                            clock.instant())
                    .map(candidate -> {
                        var known = readable.get(candidate.leased().lane());
                        var lane = known == null ? takeIn(candidate, asking) : known;
                        return new ChosenDelivery(lane, candidate.waiting(), known == null);
                    });
        } finally {
            isLeasing = false;
        }
    }

    private LentLane takeIn(ProbeStore.ProbeCandidate candidate, LentLane asking) {
        var lane =
                new LentLane(
                        new LaneReader(candidate.leased()), asking.destination(), asking.epoch());
        handOver(new Handover.ChosenLane(lane.reader(), lane.epoch()));
        return lane;
    }

    /// Sends a chosen delivery. Returns false if its lane is on hold as far as this node knows, if
    /// the delivery is in memory already, or if it cannot be loaded.
    private boolean sendChosen(ChosenDelivery chosen, Probe probe) throws InterruptedException {
        var reader = chosen.lane().reader();
        boolean isSent = false;
        try {
            var route = routing.route(reader.lane().connection());
            isSent =
                    route.isPresent()
                            && reader.lane().trigger().holdReason(route.get()).isEmpty()
                            && !reader.isInMemory(chosen.waiting().delivery())
                            && loader.loadProbe(
                                    reader,
                                    route.get(),
                                    chosen.waiting(),
                                    probe,
                                    chosen.lane().epoch());
            return isSent;
        } finally {
            if (chosen.isLeasedHere()) {
                handOver(new Handover.ReturnedLane(reader, answer(reader, isSent)));
            }
        }
    }

    private void giveBackUnlessSent(boolean isSent, Probe probe) {
        if (!isSent) {
            circuits.giveBack(probe);
        }
    }
}
