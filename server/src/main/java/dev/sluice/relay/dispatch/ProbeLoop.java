package dev.sluice.relay.dispatch;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.circuit.Circuits;
import dev.sluice.relay.circuit.Probe;
import dev.sluice.relay.fairness.RoundRobin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Chooses, claims and hands on probes: the attempts that test destinations whose circuit is not
/// closed. It has a thread of its own, so that ten thousand probes at a time keep no lane waiting.
///
/// [Backlog] lends it a lane whose probe is due, and gets the lane back with the answer what is to
/// become of it. Workspaces take turns, and each lane fails alone. A round handles one lane; rounds
/// must run on one thread.
public final class ProbeLoop implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(ProbeLoop.class);

    /// What is to become of a lane that was lent.
    enum ProbeAnswer {
        /// Stays leased: a delivery of it is in memory, or it rests.
        KEEP,
        /// Sleeps until its first delivery is due.
        NOTHING_DUE,
        /// Sleeps until the circuit's next try: it is not due any more, or another lane has it.
        NO_PROBE,
        /// Rests, because there is no memory for the payload of its first delivery.
        NO_ROOM,
        /// Rests, because it could not be read.
        FAILED
    }

    /// A lane that was lent, and the epoch under which it was leased.
    private record LentLane(LaneReader reader, long epoch) {}

    /// A lane that comes back.
    record ReturnedLane(LaneReader reader, ProbeAnswer answer) {}

    private final RoutingTable routing;
    private final Circuits circuits;
    private final LaneLoader loader;
    private final InstantSource clock;

    /// Guarded by this object's monitor.
    private final RoundRobin<WorkspaceId, LentLane> lent = new RoundRobin<>();

    private final Queue<ReturnedLane> returned = new ConcurrentLinkedQueue<>();
    private volatile Runnable onLent = () -> {};
    private volatile Runnable onReturned = () -> {};

    ProbeLoop(DispatchEnvironment environment, LaneLoader loader) {
        this.routing = environment.routing();
        this.circuits = environment.circuits();
        this.clock = environment.clock();
        this.loader = loader;
    }

    /// Sets the callback to run when a lane was lent.
    public void onWakeNeeded(Runnable wake) {
        onLent = wake;
    }

    /// Sets the callback to run when a lane comes back that [Backlog] must release.
    void onReturned(Runnable wake) {
        onReturned = wake;
    }

    /// Takes a lane. The caller must not use it until it comes back.
    void lend(LaneReader reader, long epoch) {
        synchronized (this) {
            lent.add(reader.workspace(), new LentLane(reader, epoch));
        }
        onLent.run();
    }

    private synchronized Optional<LentLane> nextLent() {
        return lent.poll();
    }

    /// Removes and returns the next lane that comes back.
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
            onReturned.run();
        }
        return true;
    }

    private ProbeAnswer probe(LentLane lane) throws InterruptedException {
        var reader = lane.reader();
        var found = routing.route(reader.lane().connection());
        if (found.isEmpty()) {
            return ProbeAnswer.KEEP; // deleted meanwhile
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
