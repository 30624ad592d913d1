package dev.sluice.gateway.connection;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/// Stores connections.
public final class ConnectionStore {

    private ConnectionStore() {}

    /// @throws dev.sluice.platform.db.DbException a duplicate-key error if the source and the
    ///   destination are already connected
    static void insert(Tx tx, Connection connection, long version) {
        tx.update(
                """
                insert into connection (id, workspace_id, source_id, destination_id, enabled,
                                        filter, transformation, created_at, updated_at, version)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                connection.id().value(),
                connection.workspace().value(),
                connection.source().value(),
                connection.destination().value(),
                connection.enabled(),
                filter(connection),
                transformation(connection),
                connection.createdAt(),
                connection.updatedAt(),
                version);
    }

    /// Overwrites a connection. A filter or transformation that this node cannot read stays as it
    /// is.
    ///
    /// @param before the connection as it is stored now
    static void update(Tx tx, Connection before, Connection connection, long version) {
        ReplacedConnectionStore.keep(tx, before, connection, version);
        tx.update(
                """
                update connection
                   set enabled = ?, filter = case when ? then ? else filter end,
                       transformation = case when ? then ? else transformation end,
                       updated_at = ?, version = ?
                 where id = ?
                """,
                connection.enabled(),
                connection.isFilterReadable(),
                filter(connection),
                connection.isTransformationReadable(),
                transformation(connection),
                connection.updatedAt(),
                version,
                connection.id().value());
    }

    static void delete(Tx tx, Connection connection, Instant now, long version) {
        tx.update(
                "update connection set deleted_at = ?, updated_at = ?, version = ? where id = ?",
                now,
                now,
                version,
                connection.id().value());
    }

    /// Marks the connections of purged sources as deleted, and erases their filters and
    /// transformations, including replaced transformations.
    public static void purge(Tx tx, List<SourceId> sources, Instant now, long version) {
        ReplacedConnectionStore.removeOf(tx, sources);
        tx.update(
                """
                update connection
                   set filter = null, transformation = null, deleted_at = coalesce(deleted_at, ?),
                       updated_at = ?, version = ?
                 where source_id = any (?)
                """,
                now,
                now,
                version,
                sources.stream().map(SourceId::value).toList());
    }

    /// Marks the connections of deleted destinations as deleted, as of the time at which their
    /// destination was deleted. Nodes need not be notified, because they already treat these
    /// connections as ended.
    public static void endLeftOver(Tx tx, List<DestinationId> destinations) {
        tx.update(
                """
                update connection
                   set deleted_at = destination.deleted_at
                  from destination
                 where destination.id = any (?) and destination_id = destination.id
                   and connection.deleted_at is null and destination.deleted_at is not null
                """,
                destinations.stream().map(DestinationId::value).toList());
    }

    /// Removes the rows of the given connections, skipping any that are not marked as deleted.
    /// Returns the number of rows removed.
    public static int remove(Tx tx, List<ConnectionId> deleted) {
        return tx.update(
                "delete from connection where id = any (?) and deleted_at is not null",
                deleted.stream().map(ConnectionId::value).toList());
    }

    private static @Nullable String filter(Connection connection) {
        return connection.filter().map(filter -> filter.json().text()).orElse(null);
    }

    private static @Nullable String transformation(Connection connection) {
        return connection.transformation().map(each -> each.json().text()).orElse(null);
    }
}
