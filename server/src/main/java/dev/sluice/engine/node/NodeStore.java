package dev.sluice.engine.node;

import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.WorkRowReader;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// Registers nodes, renews their leases, and releases the deliveries and lanes of nodes that are
/// dead or have left. Each registration gets a new number, its epoch.
public final class NodeStore {

    private NodeStore() {}

    /// Registers a node whose lease lasts for `lease`, and returns its new epoch.
    ///
    /// @param home identifies the node's data directory and its machine's current boot
    public static long register(Tx tx, UUID home, Duration lease) {
        return tx.single(
                """
                insert into node (epoch, home, state, started_at, lease_until)
                values (nextval('node_epoch'), ?, 'live', now(), now() + make_interval(secs => ?))
                returning epoch
                """,
                row -> row.number("epoch"),
                home,
                lease.toSeconds());
    }

    /// Renews the lease. Returns false if the node is no longer live, which usually means that it
    /// was declared dead. In that case, other nodes may own its deliveries and lanes.
    public static boolean heartbeat(Tx tx, long epoch, Duration lease) {
        return tx.update(
                        """
                        update node
                           set lease_until = now() + make_interval(secs => ?)
                         where epoch = ? and state = 'live'
                        """,
                        lease.toSeconds(),
                        epoch)
                == 1;
    }

    public static void leave(Tx tx, long epoch) {
        tx.update("update node set state = 'left' where epoch = ? and state = 'live'", epoch);
    }

    /// Limits every lock wait in this transaction to 500 ms, so that the transaction does not wait
    /// long for a frozen process. Must be called before the first statement that may wait for a
    /// lock.
    public static void limitLockWait(Tx tx) {
        tx.update("set local lock_timeout = '500ms'");
    }

    /// Declares other nodes dead when a node joins: those whose lease has expired according to the
    /// database's clock, and earlier processes with the same home. The caller holds the home's
    /// lock, so these earlier processes have ended. Returns the epochs of the nodes declared dead.
    public static List<Long> declareDead(Tx tx, long epoch, UUID home) {
        return tx.query(
                """
                update node
                   set state = 'dead'
                 where state = 'live' and epoch <> ? and (lease_until < now() or (home = ? and epoch < ?))
                returning epoch
                """,
                row -> row.number("epoch"),
                epoch,
                home,
                epoch);
    }

    /// Returns the time at which each live node's lease ends, keyed by the node's epoch.
    public static Map<Long, Instant> liveLeases(Tx tx) {
        var leases = new HashMap<Long, Instant>();
        tx.query(
                        "select epoch, lease_until from node where state = 'live'",
                        row -> Map.entry(row.number("epoch"), row.instant("lease_until")))
                .forEach(entry -> leases.put(entry.getKey(), entry.getValue()));
        return leases;
    }

    /// Declares a node dead unless it has renewed its lease. Returns whether the node was declared
    /// dead.
    ///
    /// @param leaseUntil when the node's lease ends, as last read
    public static boolean declareDead(Tx tx, long epoch, Instant leaseUntil) {
        return tx.update(
                        """
                        update node
                           set state = 'dead'
                         where epoch = ? and state = 'live' and lease_until = ?
                        """,
                        epoch,
                        leaseUntil)
                == 1;
    }

    /// Returns the epochs of nodes that are dead or have left. They might still own deliveries or
    /// lanes.
    public static List<Long> goneEpochs(Tx tx) {
        return tx.query(
                "select epoch from node where state in ('dead', 'left')",
                row -> row.number("epoch"));
    }

    /// Returns the epochs of all nodes that still have a row.
    public static Set<Long> epochs(Tx tx) {
        return new HashSet<>(tx.query("select epoch from node", row -> row.number("epoch")));
    }

    /// The result of releasing deliveries that were owned by a node that is gone.
    ///
    /// @param deliveries the number of released deliveries
    /// @param lanes the lanes in which these deliveries are waiting
    public record ReleasedWork(int deliveries, Set<Lane> lanes) {}

    /// Releases up to `limit` deliveries that are owned by a node that is gone. The released
    /// deliveries wait again and are due at `now`.
    ///
    /// Forces the planner to use the index on the owner. The table's statistics are out of date, so
    /// the planner might otherwise read the whole table.
    public static ReleasedWork releaseWork(Tx tx, long epoch, Instant now, int limit) {
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.BITMAP_SCAN);
        var lanes =
                tx.query(
                        """
                        update delivery_work
                           set owner = null, next_at = ?
                         where ctid = any (array(select ctid from delivery_work where owner = ? limit ?))
                           and owner = ?
                        returning connection_id, trigger, source_id
                        """,
                        WorkRowReader::lane,
                        now,
                        epoch,
                        limit,
                        epoch);
        return new ReleasedWork(lanes.size(), new LinkedHashSet<>(lanes));
    }

    /// Releases all lanes that were leased by a node that is gone. The lanes wake at `now`, or
    /// earlier if an earlier wake was requested.
    public static void releaseLanes(Tx tx, long epoch, Instant now) {
        tx.update(
                """
                update lane
                   set owner = null, wake_at = least(wake_at, ?)
                 where owner = ?
                """,
                now,
                epoch);
    }

    /// Deletes a node's row unless the node is live. Call it after the node's deliveries and lanes
    /// have been released, so that nothing refers to its epoch any more.
    public static void delete(Tx tx, long epoch) {
        tx.update("delete from node where epoch = ? and state <> 'live'", epoch);
    }
}
