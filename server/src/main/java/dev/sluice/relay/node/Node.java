package dev.sluice.relay.node;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.Lease;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.NodeStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// This process among those that share the database.
///
/// It lives under an epoch, a number of its own that is new at each start. A heartbeat keeps its
/// lease on the database's clock; by its own monotonic clock the lease ends five seconds earlier,
/// and after that it starts nothing. A node that was declared dead takes a new epoch: what it had
/// in memory is others' work by then.
///
/// A round is one heartbeat and one look for nodes that died.
public final class Node implements Lease, Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(Node.class);

    public static final Duration HEARTBEAT = Duration.ofSeconds(3);
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final Duration MARGIN = Duration.ofSeconds(5);

    /// Epoch and the end of its lease by `System.nanoTime`, seen together.
    private record Term(long epoch, long endNanos) {}

    private final Db db;
    private final UUID home;
    private final InstantSource clock;
    private final LongSupplier nanos;

    /// Written by the thread of the rounds.
    private volatile Term term;

    /// Of the thread of the rounds: whether the last takeover had to be left to the next round.
    private boolean isHeldUp;

    private volatile Runnable onFenced = () -> {};

    private Node(Db db, UUID home, InstantSource clock, LongSupplier nanos) {
        this.db = db;
        this.home = home;
        this.clock = clock;
        this.nanos = nanos;
        this.term = register();
    }

    /// Joins, and takes over from earlier lives of this data directory at once.
    ///
    /// @param home names the data directory, whose lock this process holds
    public static Node join(Db db, UUID home, InstantSource clock) {
        return join(db, home, clock, System::nanoTime);
    }

    /// @param nanos the monotonic clock that this node's own lease is told by
    public static Node join(Db db, UUID home, InstantSource clock, LongSupplier nanos) {
        var node = new Node(db, home, clock, nanos);
        node.takeOver();
        return node;
    }

    private Term register() {
        long end = leaseEnd();
        long epoch = db.call(tx -> NodeStore.register(tx, home, LEASE));
        log.atInfo().addKeyValue("epoch", epoch).log("node.joined");
        return new Term(epoch, end);
    }

    /// Counted from before the database is asked, so that it can only be too early.
    private long leaseEnd() {
        return nanos.getAsLong() + LEASE.minus(MARGIN).toNanos();
    }

    /// Called when this node finds itself declared dead, before it lives again.
    public void onFenced(Runnable listener) {
        onFenced = listener;
    }

    @Override
    public long epoch() {
        return term.epoch();
    }

    @Override
    public boolean mayStart() {
        return isValid(term);
    }

    @Override
    public boolean mayStart(long epoch) {
        var now = term;
        return now.epoch() == epoch && isValid(now);
    }

    private boolean isValid(Term judged) {
        return nanos.getAsLong() - judged.endNanos() < 0;
    }

    @Override
    public boolean run() {
        heartbeat();
        takeOver();
        return false;
    }

    private void heartbeat() {
        long end = leaseEnd();
        long epoch = term.epoch();
        if (db.call(tx -> NodeStore.heartbeat(tx, epoch, LEASE))) {
            term = new Term(epoch, end);
            return;
        }
        log.atWarn().addKeyValue("epoch", epoch).log("node.fenced");
        term = new Term(epoch, nanos.getAsLong());
        onFenced.run();
        term = register();
    }

    /// Each step can be repeated, by any node: dead first, then its work, its lanes last. What is
    /// locked is left to the next round: the next heartbeat must not wait for it.
    private void takeOver() {
        boolean isFree =
                isUnlocked(() -> {
                    for (long dead : briefly(tx -> NodeStore.declareDead(tx, epoch(), home))) {
                        log.atWarn().addKeyValue("epoch", dead).log("node.died");
                    }
                });
        for (long gone : db.call(NodeStore::gone)) {
            isFree &= isUnlocked(() -> takeOver(gone));
        }
        isHeldUp = !isFree;
    }

    /// False when it found something locked; said once, until all was free again.
    private boolean isUnlocked(Runnable step) {
        try {
            step.run();
            return true;
        } catch (DbException e) {
            if (!e.isLockTimeout()) {
                throw e;
            }
            if (!isHeldUp) {
                log.atWarn().setCause(e).log("node.takeover_held_up");
            }
            return false;
        }
    }

    private void brieflyRun(Consumer<Tx> work) {
        briefly(tx -> {
            work.accept(tx);
            return true;
        });
    }

    private <T> T briefly(Function<Tx, T> work) {
        return db.call(tx -> {
            NodeStore.beBrief(tx);
            return work.apply(tx);
        });
    }

    /// Lets what a node that is gone had in memory wait for whoever comes first.
    ///
    /// @throws DbException also when something of it stays locked; it can be repeated
    public void takeOver(long gone) {
        var now = clock.instant();
        var lanes = briefly(tx -> NodeStore.releaseWork(tx, gone, now));
        brieflyRun(tx -> NodeStore.releaseLanes(tx, gone, now));
        brieflyRun(tx ->
                LaneStore.wake(
                        tx, lanes.stream().map(lane -> new LaneStore.Wake(lane, now)).toList()));
        brieflyRun(tx -> NodeStore.forget(tx, gone));
        log.atInfo()
                .addKeyValue("epoch", gone)
                .addKeyValue("lanes", lanes.size())
                .log("node.taken_over");
    }

    /// Says that this node is going, after everything it had was finished or put back.
    public void leave() {
        try {
            db.run(tx -> NodeStore.leave(tx, epoch()));
        } catch (DbException e) {
            log.atWarn().setCause(e).log("node.leave_failed"); // its lease ends by itself
        }
    }
}
