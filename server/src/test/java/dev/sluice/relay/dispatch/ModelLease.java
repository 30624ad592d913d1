package dev.sluice.relay.dispatch;

import dev.sluice.relay.Lease;
import dev.sluice.relay.store.LaneStore;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// The steps of `relay.node.Node`, each transaction on the model.
final class ModelLease implements Lease {

    static final Duration HEARTBEAT = Duration.ofSeconds(3);
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private final Baton baton;
    private final ModelDatabase database;
    private final ModelLife life;
    private final UUID home;
    private final boolean isLeaseIgnored;
    private Runnable onFenced = () -> {};
    private long epoch = -1;
    private Instant end = Instant.MIN;

    ModelLease(
            Baton baton,
            ModelDatabase database,
            ModelLife life,
            UUID home,
            boolean isLeaseIgnored) {
        this.baton = baton;
        this.database = database;
        this.life = life;
        this.home = home;
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
        return baton.now().isBefore(end) || isLeaseIgnored;
    }

    @Override
    public boolean mayStart(long of) {
        return of == epoch && mayStart();
    }

    void join() {
        register();
        takeOver();
    }

    private void register() {
        var until = baton.now().plus(LEASE).minus(MARGIN);
        long given =
                database.call(
                        life,
                        "register",
                        () -> database.store().nodes().register(home, LEASE, baton.now()));
        epoch = given;
        end = until;
    }

    void round() {
        heartbeat();
        takeOver();
    }

    private void heartbeat() {
        var until = baton.now().plus(LEASE).minus(MARGIN);
        boolean isAlive =
                database.call(
                        life,
                        "heartbeat",
                        () -> database.store().nodes().heartbeat(epoch, LEASE, baton.now()));
        if (isAlive) {
            end = until;
            return;
        }
        baton.note("fenced");
        end = baton.now();
        onFenced.run();
        register();
    }

    private void takeOver() {
        var store = database.store();
        database.call(
                life, "declare dead", () -> store.nodes().declareDead(epoch, home, baton.now()));
        for (long gone : database.call(life, "gone", () -> store.nodes().gone())) {
            takeOver(gone);
        }
    }

    void takeOver(long gone) {
        var store = database.store();
        var now = life.clock().instant();
        var lanes =
                List.copyOf(
                        database.call(
                                life,
                                "take over work of " + gone,
                                () -> store.releaseWork(gone, now)));
        run("take over lanes of " + gone, () -> store.releaseLanes(gone, now));
        run(
                "wake " + lanes.size(),
                () ->
                        store.wake(
                                lanes.stream()
                                        .map(lane -> new LaneStore.Wake(lane, now))
                                        .toList()));
        run("forget " + gone, () -> store.nodes().forget(gone));
    }

    private void run(String what, Runnable transaction) {
        database.call(
                life,
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
