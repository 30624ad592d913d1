package dev.sluice.engine.node;

import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Takes over the work of nodes that died or stopped. The loop puts the deliveries that such a node
/// owned back into their lanes, and releases the lanes that the node had leased, so that any node
/// may lease them.
///
/// The loop also takes over deliveries and lanes that belong to an epoch whose row has been
/// deleted. Such leftovers can exist because a node may write once more under its old epoch before
/// it notices that it was declared dead.
///
/// Every node runs this loop. Each step is a separate transaction, and any node may repeat it. The
/// loop runs on its own thread, so that a heartbeat never waits for it. Rounds must run on one
/// thread.
public final class TakeoverLoop implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(TakeoverLoop.class);

    /// The maximum number of deliveries released in one transaction.
    private static final int RELEASE_BATCH_ROWS = 2_000;

    private final Db db;
    private final Node node;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Wake backlog;
    private final LeaseWatcher watcher = new LeaseWatcher();

    /// Whether a lock blocked part of the last round. If so, the current round repeats that part.
    private boolean wasBlocked;

    /// Whether a lock blocked part of the current round.
    private boolean isBlocked;

    /// @param backlog called when lanes have been woken
    public TakeoverLoop(Db db, Node node, InstantSource clock, Wake backlog) {
        this(db, node, clock, backlog, System::nanoTime);
    }

    /// @param nanos the monotonic clock used to time other nodes' leases
    public TakeoverLoop(Db db, Node node, InstantSource clock, Wake backlog, LongSupplier nanos) {
        this.db = db;
        this.node = node;
        this.clock = clock;
        this.backlog = backlog;
        this.nanos = nanos;
    }

    /// Takes over from all nodes that died or stopped. If one takeover fails, the others still take
    /// place, and the round fails once they are done.
    @Override
    public boolean run() {
        wasBlocked = isBlocked;
        isBlocked = false;
        var parts = new RoundParts();
        declareDead(parts);
        for (long epoch : db.call(TakeoverLoop::epochsToTakeOver)) {
            parts.run(() -> runUnlessLocked(() -> takeOver(epoch)));
        }
        parts.end();
        return false;
    }

    private void declareDead(RoundParts parts) {
        long now = nanos.getAsLong();
        var leases = db.call(NodeStore::liveLeases);
        leases.remove(node.epoch());
        watcher.standingStill(leases, now)
                .forEach((epoch, leaseUntil) ->
                        parts.run(() -> runUnlessLocked(() -> declareDead(epoch, leaseUntil))));
    }

    private void declareDead(long epoch, Instant leaseUntil) {
        if (callWithShortLockTimeout(tx -> NodeStore.declareDead(tx, epoch, leaseUntil))) {
            logDead(List.of(epoch));
        }
    }

    static void logDead(Collection<Long> epochs) {
        epochs.forEach(epoch -> log.atWarn().addKeyValue("epoch", epoch).log("node.died"));
    }

    private static Set<Long> epochsToTakeOver(Tx tx) {
        var gone = new HashSet<>(NodeStore.goneEpochs(tx));
        gone.addAll(orphanedEpochs(tx));
        return gone;
    }

    /// Returns the epochs that own deliveries or lanes although no node is registered under them.
    ///
    /// Owners are read before epochs, and each statement sees everything committed before it
    /// started. An epoch is registered before it owns anything, so the epoch of a new node is never
    /// mistaken for an orphaned one.
    private static Set<Long> orphanedEpochs(Tx tx) {
        var orphaned = new HashSet<>(OwnedDeliveryStore.owners(tx));
        orphaned.addAll(LaneStore.owners(tx));
        orphaned.removeAll(NodeStore.epochs(tx));
        orphaned.forEach(epoch -> log.atWarn().addKeyValue("epoch", epoch).log("epoch.orphaned"));
        return orphaned;
    }

    /// Runs a step. If a lock blocks the step, the next round repeats it. A blocked step is logged,
    /// unless a lock also blocked part of the last round.
    private void runUnlessLocked(Runnable step) {
        try {
            step.run();
        } catch (DbException e) {
            if (!e.isLockTimeout()) {
                throw e;
            }
            if (!wasBlocked) {
                log.atWarn().setCause(e).log("node.takeover_delayed");
            }
            isBlocked = true;
        }
    }

    /// Releases the deliveries and lanes that the epoch `gone` owns, then deletes its row.
    ///
    /// @throws DbException if a statement fails, for example because another transaction keeps one
    ///   of the rows locked; the call can be repeated
    private void takeOver(long gone) {
        var now = clock.instant();
        var lanes = new HashSet<Lane>();
        NodeStore.ReleasedWork released;
        do {
            released =
                    callWithShortLockTimeout(
                            tx -> NodeStore.releaseWork(tx, gone, now, RELEASE_BATCH_ROWS));
            wake(released, now);
            lanes.addAll(released.lanes());
        } while (released.deliveries() > 0);
        runWithShortLockTimeout(tx -> NodeStore.releaseLanes(tx, gone, now));
        backlog.wake();
        runWithShortLockTimeout(tx -> NodeStore.delete(tx, gone));
        log.atInfo()
                .addKeyValue("epoch", gone)
                .addKeyValue("lanes", lanes.size())
                .log("node.taken_over");
    }

    private void wake(NodeStore.ReleasedWork released, Instant now) {
        var wakes =
                released.lanes().stream().map(lane -> new LaneStore.LaneWake(lane, now)).toList();
        runWithShortLockTimeout(tx -> LaneStore.wake(tx, wakes));
        backlog.wake();
    }

    private void runWithShortLockTimeout(Consumer<Tx> work) {
        callWithShortLockTimeout(tx -> {
            work.accept(tx);
            return true;
        });
    }

    private <T> T callWithShortLockTimeout(Function<Tx, T> work) {
        return db.call(tx -> {
            NodeStore.limitLockWait(tx);
            return work.apply(tx);
        });
    }
}
