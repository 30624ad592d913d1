package dev.sluice.engine.node;

import dev.sluice.engine.Lease;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.UUID;
import java.util.function.LongSupplier;

/// This process's registration as one of the nodes that share a database, and the node's lease.
///
/// A node has an epoch, a number that is newly assigned at each registration. Heartbeats renew the
/// node's lease, which lasts 15 s. By its own monotonic clock, the node considers the lease expired
/// after only 10 s, and then starts no more attempts. A node that was declared dead registers again
/// under a new epoch, because other nodes take over the deliveries and lanes that it owned. See
/// [TakeoverLoop].
///
/// [Heartbeat] renews the lease, and registers the node again if it was declared dead. Thread-safe,
/// but only one thread may renew the lease.
public final class Node implements Lease {

    private static final Logger log = LoggerFactory.getLogger(Node.class);

    static final Duration LEASE_DURATION = Duration.ofSeconds(15);
    private static final Duration LEASE_SAFETY_MARGIN = Duration.ofSeconds(5);

    /// An epoch, and the monotonic clock's value at which the lease under that epoch ends. One
    /// object holds both so that they are always read together.
    private record LeaseTerm(long epoch, long endNanos) {}

    private final Db db;
    private final UUID home;
    private final LongSupplier nanos;

    /// Written only by the thread that renews the lease.
    private volatile LeaseTerm term;

    private Node(Db db, UUID home, LongSupplier nanos) {
        this.db = db;
        this.home = home;
        this.nanos = nanos;
        this.term = register();
    }

    /// Registers this process. Then declares dead all earlier processes with the same home, and all
    /// nodes whose lease has expired according to the database's clock.
    ///
    /// Homes are compared only here, because only a new process can know that earlier processes
    /// with its home have ended.
    ///
    /// @param home identifies the data directory, which this process has locked, and the machine's
    ///   current boot; no other live process has the same home
    public static Node join(Db db, UUID home) {
        return join(db, home, System::nanoTime);
    }

    /// @param nanos the monotonic clock that measures this node's lease
    public static Node join(Db db, UUID home, LongSupplier nanos) {
        var node = new Node(db, home, nanos);
        TakeoverLoop.logDead(db.call(tx -> NodeStore.declareDead(tx, node.epoch(), home)));
        return node;
    }

    private LeaseTerm register() {
        long end = leaseEnd();
        long epoch = db.call(tx -> NodeStore.register(tx, home, LEASE_DURATION));
        log.atInfo().addKeyValue("epoch", epoch).log("node.joined");
        return new LeaseTerm(epoch, end);
    }

    /// Returns the time at which a lease requested now ends. Called before the query that requests
    /// the lease, so the result can be too early but never too late.
    private long leaseEnd() {
        return nanos.getAsLong() + LEASE_DURATION.minus(LEASE_SAFETY_MARGIN).toNanos();
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
        var current = term;
        return current.epoch() == epoch && isValid(current);
    }

    private boolean isValid(LeaseTerm judged) {
        return nanos.getAsLong() - judged.endNanos() < 0;
    }

    /// Renews the lease. If this node was declared dead, ends the lease by its own clock and
    /// returns false; the node may start nothing until [#registerAgain] has been called.
    boolean renew() {
        long end = leaseEnd();
        long epoch = term.epoch();
        if (db.call(tx -> NodeStore.heartbeat(tx, epoch, LEASE_DURATION))) {
            term = new LeaseTerm(epoch, end);
            return true;
        }
        log.atWarn().addKeyValue("epoch", epoch).log("node.fenced");
        term = new LeaseTerm(epoch, nanos.getAsLong());
        return false;
    }

    /// Registers this process under a new epoch.
    void registerAgain() {
        term = register();
    }

    /// Deregisters this node. Called once all its deliveries have been finished or put back. If the
    /// database cannot be updated, the lease expires on its own.
    public void leave() {
        try {
            db.run(tx -> NodeStore.leave(tx, epoch()));
        } catch (DbException e) {
            log.atWarn().setCause(e).log("node.leave_failed"); // its lease expires on its own
        }
    }
}
