package dev.sluice.engine.send;

import dev.sluice.engine.Lease;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.node.LeaseWatcher;
import dev.sluice.engine.node.NodeStore;

import java.time.Duration;
import java.time.Instant;
import java.util.TreeSet;
import java.util.UUID;

/// A model of `engine.node.Node` and `TakeoverLoop`: each of its transactions runs on the simulated
/// store.
final class SimulatedLease implements Lease {

    static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(3);
    private static final Duration LEASE_DURATION = Duration.ofSeconds(15);
    private static final Duration LEASE_SAFETY_MARGIN = Duration.ofSeconds(5);

    /// Small, so that a takeover needs several transactions.
    private static final int RELEASE_BATCH_ROWS = 4;

    private final DeterministicScheduler scheduler;
    private final SimulatedDatabase database;
    private final SimulatedNode node;
    private final UUID dataDirectoryId;
    private final boolean isLeaseIgnored;
    private final LeaseWatcher watcher = new LeaseWatcher();
    private Runnable onFenced = () -> {};
    private long epoch = -1;
    private Instant end = Instant.MIN;

    SimulatedLease(
            DeterministicScheduler scheduler,
            SimulatedDatabase database,
            SimulatedNode node,
            UUID dataDirectoryId,
            boolean isLeaseIgnored) {
        this.scheduler = scheduler;
        this.database = database;
        this.node = node;
        this.dataDirectoryId = dataDirectoryId;
        this.isLeaseIgnored = isLeaseIgnored;
    }

    void onFenced(Runnable listener) {
        onFenced = listener;
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public boolean mayStart() {
        return scheduler.now().isBefore(end) || isLeaseIgnored;
    }

    @Override
    public boolean mayStart(long of) {
        return of == epoch && mayStart();
    }

    void join() {
        register();
        database.call(
                node,
                "declare dead",
                () ->
                        database.store()
                                .nodes()
                                .declareDead(epoch, dataDirectoryId, scheduler.now()));
    }

    private void register() {
        var until = scheduler.now().plus(LEASE_DURATION).minus(LEASE_SAFETY_MARGIN);
        long given =
                database.call(
                        node,
                        "register",
                        () ->
                                database.store()
                                        .nodes()
                                        .register(
                                                dataDirectoryId, LEASE_DURATION, scheduler.now()));
        epoch = given;
        end = until;
    }

    void heartbeat() {
        var until = scheduler.now().plus(LEASE_DURATION).minus(LEASE_SAFETY_MARGIN);
        boolean isAlive =
                database.call(
                        node,
                        "heartbeat",
                        () ->
                                database.store()
                                        .nodes()
                                        .heartbeat(epoch, LEASE_DURATION, scheduler.now()));
        if (isAlive) {
            end = until;
            return;
        }
        scheduler.trace("fenced");
        end = scheduler.now();
        onFenced.run();
        register();
    }

    /// A round of `engine.node.TakeoverLoop`.
    void takeOver() {
        var store = database.store();
        long nanos = Duration.between(Instant.EPOCH, scheduler.now()).toNanos();
        var leases = database.call(node, "leases", () -> store.nodes().liveLeases());
        leases.remove(epoch);
        watcher.standingStill(leases, nanos)
                .forEach((silent, leaseUntil) ->
                        database.call(
                                node,
                                "declare dead " + silent,
                                () -> store.nodes().declareDead(silent, leaseUntil)));
        var gone = new TreeSet<>(database.call(node, "gone", () -> store.nodes().gone()));
        var orphaned = new TreeSet<>(database.call(node, "owners", store::owners));
        orphaned.addAll(database.call(node, "lane owners", store::laneOwners));
        orphaned.removeAll(database.call(node, "epochs", () -> store.nodes().epochs()));
        gone.addAll(orphaned);
        gone.forEach(this::takeOver);
    }

    private void takeOver(long gone) {
        var store = database.store();
        var now = node.clock().instant();
        NodeStore.ReleasedWork released;
        do {
            released =
                    database.call(
                            node,
                            "take over work of " + gone,
                            () -> store.releaseWork(gone, now, RELEASE_BATCH_ROWS));
            var wakes =
                    released.lanes().stream()
                            .map(lane -> new LaneStore.LaneWake(lane, now))
                            .toList();
            run("wake " + wakes.size(), () -> store.wake(wakes));
        } while (released.deliveries() > 0);
        run("take over lanes of " + gone, () -> store.releaseLanes(gone, now));
        run("forget " + gone, () -> store.nodes().forget(gone));
    }

    private void run(String what, Runnable transaction) {
        database.call(
                node,
                what,
                () -> {
                    transaction.run();
                    return "done";
                });
    }

    void leave() {
        run("leave", () -> database.store().nodes().leave(epoch));
    }
}
