package dev.sluice.engine.lanes;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.send.DispatchEnvironment;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.engine.settle.Probe;
import dev.sluice.engine.share.RoundRobin;
import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Starts probes: the attempts that test destinations whose circuit is not closed. For each probe,
/// the loop chooses the delivery to send and claims the probe. The loop runs on its own thread, so
/// that even ten thousand probes at once do not delay other lanes.
///
/// When a lane's probe is due, [Backlog] lends the lane to this loop. [Backlog] gets the lane back
/// with a [ProbeAnswer], which says what to do with it. Workspaces take turns. A lane that cannot
/// be read does not affect other lanes. A round handles one lane; rounds must run on one thread.
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

    /// A lane that was lent, and the epoch under which it was leased.
    private record LentLane(LaneReader reader, long epoch) {}

    /// A lane on its way back to [Backlog].
    record ReturnedLane(LaneReader reader, ProbeAnswer answer) {}

    private final RoutingTable routing;
    private final Circuits circuits;
    private final LaneLoader loader;
    private final InstantSource clock;

    /// Guarded by this object's monitor.
    private final RoundRobin<WorkspaceId, LentLane> lent = new RoundRobin<>();

    private final Queue<ReturnedLane> returned = new ConcurrentLinkedQueue<>();
    private final Wake wake;
    private final Wake backlog;

    ProbeLoop(DispatchEnvironment environment, LaneLoader loader) {
        this.routing = environment.routing();
        this.circuits = environment.circuits();
        this.clock = environment.clock();
        this.wake = environment.wakes().probes();
        this.backlog = environment.wakes().backlog();
        this.loader = loader;
    }

    /// Lends a lane to this loop. The caller must not read the lane until [#pollReturned] returns
    /// it.
    void lend(LaneReader reader, long epoch) {
        synchronized (this) {
            lent.add(reader.workspace(), new LentLane(reader, epoch));
        }
        wake.wake();
    }

    private synchronized Optional<LentLane> nextLent() {
        return lent.poll();
    }

    /// Removes and returns the next lane on its way back to [Backlog], or empty if there is none.
    Optional<ReturnedLane> pollReturned() {
        return Optional.ofNullable(returned.poll());
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
            returned.add(new ReturnedLane(next.get().reader(), answer));
            backlog.wake();
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
            isSent = loader.loadProbe(reader, route, first.get(), probe.get(), lane.epoch());
        } finally {
            giveBackUnlessSent(isSent, probe.get());
        }
        boolean isSettled = isSent || reader.inMemory() > 0 || reader.isResting(clock.instant());
        return isSettled ? ProbeAnswer.KEEP : ProbeAnswer.NO_ROOM;
    }

    private void giveBackUnlessSent(boolean isSent, Probe probe) {
        if (!isSent) {
            circuits.giveBack(probe);
        }
    }
}
