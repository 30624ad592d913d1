package dev.sluice.engine.lanes;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.db.Tx;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Deletes the rows of lanes that have nothing to send. A lane's row is inserted again when the
/// lane must wake.
public final class LanePruneStore {

    private LanePruneStore() {}

    /// Returns the connection of the `limit`-th lane after the connection `after`, ordered by
    /// connection id. Returns empty if there are fewer lanes.
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

    /// Deletes the lanes in this range of connections that have no wake-up time, are not leased,
    /// and have no waiting deliveries. Returns the number of deleted lanes.
    ///
    /// A lane that is woken or leased in the meantime is not deleted, because PostgreSQL checks the
    /// condition again on a changed row before it deletes the row.
    ///
    /// @param after the range begins after this connection id
    /// @param last the last connection id in the range
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

    /// Deletes all lanes of these connections. Called when the connections themselves are removed.
    public static void deleteOf(Tx tx, List<ConnectionId> connections) {
        tx.update(
                "delete from lane where connection_id = any (?)",
                connections.stream().map(ConnectionId::value).toList());
    }
}
