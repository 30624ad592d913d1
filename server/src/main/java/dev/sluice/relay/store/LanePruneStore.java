package dev.sluice.relay.store;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.db.Tx;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Deletes lanes that nothing needs. A lane that is needed again is made anew when it is woken.
public final class LanePruneStore {

    private LanePruneStore() {}

    /// Returns the connection of the `limit`-th lane after that of `after`; empty if there are
    /// fewer.
    public static Optional<UUID> endOfChunk(Tx tx, UUID after, int limit) {
        return tx.findOne(
                """
                select connection_id
                  from lane
                 where connection_id > ?
                 order by connection_id
                offset ? limit 1
                """,
                row -> row.uuid("connection_id"),
                after,
                limit - 1);
    }

    /// Deletes the lanes that sleep for ever, that no node leases, and in which nothing waits.
    ///
    /// A lane that is woken or leased meanwhile stays: PostgreSQL looks at its row again before it
    /// deletes it.
    ///
    /// @param after only lanes of connections with a higher id
    /// @param last only lanes of connections up to this id
    public static int deleteEmpty(Tx tx, UUID after, UUID last) {
        return tx.update(
                """
                delete from lane
                 where connection_id > ? and connection_id <= ?
                   and owner is null and wake_at = 'infinity'
                   and not exists (select from delivery_work as waiting
                                    where waiting.source_id = lane.source_id
                                      and waiting.connection_id = lane.connection_id
                                      and waiting.trigger = lane.trigger
                                      and waiting.next_at is not null)
                """,
                after,
                last);
    }

    /// Deletes the lanes of connections that are removed.
    public static void deleteOf(Tx tx, List<ConnectionId> connections) {
        tx.update(
                "delete from lane where connection_id = any (?)",
                connections.stream().map(ConnectionId::value).toList());
    }
}
