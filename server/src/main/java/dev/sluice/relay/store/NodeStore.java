package dev.sluice.relay.store;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.Trigger;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/// Nodes and what they own. Leases are told by the database's clock alone.
public final class NodeStore {

    private NodeStore() {}

    /// A new epoch, live for `lease`.
    ///
    /// @param home names the data directory
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

    /// False when the node was declared dead: its work is others' now.
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

    /// The first statement of a transaction that takes something over: nothing waits for a lock
    /// longer than this. The one that holds it may be a process that stands still.
    public static void beBrief(Tx tx) {
        tx.update("set local lock_timeout = '500ms'");
    }

    /// Declares dead whose lease is over, and the earlier lives of this data directory: who holds
    /// its lock knows that they are.
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

    /// Nodes that are gone and may still own something.
    public static List<Long> gone(Tx tx) {
        return tx.query(
                "select epoch from node where state in ('dead', 'left')",
                row -> row.number("epoch"));
    }

    /// Every epoch that is not forgotten.
    public static Set<Long> epochs(Tx tx) {
        return new HashSet<>(tx.query("select epoch from node", row -> row.number("epoch")));
    }

    /// Lets everything wait that a gone node had in memory. The lanes it waits in now.
    public static Set<Lane> releaseWork(Tx tx, long epoch, Instant now) {
        return new LinkedHashSet<>(
                tx.query(
                        """
                        update delivery_work
                           set owner = null, next_at = ?
                         where owner = ?
                        returning connection_id, trigger, source_id
                        """,
                        row ->
                                new Lane(
                                        new ConnectionId(row.uuid("connection_id")),
                                        Trigger.numbered(row.integer("trigger")),
                                        new SourceId(row.uuid("source_id"))),
                        now,
                        epoch));
    }

    /// Frees the lanes of a gone node, due at once.
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

    /// After its work and lanes are released: nothing can refer to it any more.
    public static void forget(Tx tx, long epoch) {
        tx.update("delete from node where epoch = ? and state <> 'live'", epoch);
    }
}
