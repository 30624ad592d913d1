package dev.sluice.gateway.connection;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Writes connections. One whose source is in the trash or whose destination is deleted is not
/// found.
public final class ConnectionStore {

    /// A connection as nodes keep it in memory, deleted ones included.
    public record Version(Connection connection, boolean isDeleted) {}

    private ConnectionStore() {}

    /// @throws dev.sluice.platform.db.DbException a duplicate when the two are connected already
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

    static void update(Tx tx, Connection connection, long version) {
        tx.update(
                """
                update connection
                   set enabled = ?, filter = ?, transformation = ?, updated_at = ?, version = ?
                 where id = ?
                """,
                connection.enabled(),
                filter(connection),
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

    /// Those of sources that are purged, with what their owner wrote into them.
    static void purge(Tx tx, List<SourceId> sources, Instant now, long version) {
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

    static Optional<Connection> find(Tx tx, WorkspaceId workspace, ConnectionId id) {
        return tx.one(
                """
                select connection.*
                  from connection
                  join source on source.id = source_id and trashed_at is null
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where connection.id = ? and connection.workspace_id = ? and connection.deleted_at is null
                """,
                ConnectionStore::connection,
                id.value(),
                workspace.value());
    }

    static List<Connection> list(Tx tx, WorkspaceId workspace, long offset, int limit) {
        return tx.query(
                """
                select connection.*
                  from connection
                  join source on source.id = source_id and trashed_at is null
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where connection.workspace_id = ? and connection.deleted_at is null
                 order by connection.created_at desc, connection.id desc
                offset ? limit ?
                """,
                ConnectionStore::connection,
                workspace.value(),
                offset,
                limit);
    }

    static long count(Tx tx, WorkspaceId workspace) {
        return tx.single(
                """
                select count(*) as n
                  from connection
                  join source on source.id = source_id and trashed_at is null
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where connection.workspace_id = ? and connection.deleted_at is null
                """,
                row -> row.number("n"),
                workspace.value());
    }

    /// The newest first.
    ///
    /// @param q a part of the destination's name, in any case; empty for all
    static List<Connection> ofSource(Tx tx, SourceId source, String q, long offset, int limit) {
        return tx.query(
                """
                select connection.*
                  from connection
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where source_id = ? and connection.deleted_at is null
                   and (? = '' or strpos(lower(name), lower(?)) > 0)
                 order by connection.created_at desc, connection.id desc
                offset ? limit ?
                """,
                ConnectionStore::connection,
                source.value(),
                q,
                q,
                offset,
                limit);
    }

    static long countOfSource(Tx tx, SourceId source, String q) {
        return tx.single(
                """
                select count(*) as n
                  from connection
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where source_id = ? and connection.deleted_at is null
                   and (? = '' or strpos(lower(name), lower(?)) > 0)
                """,
                row -> row.number("n"),
                source.value(),
                q,
                q);
    }

    /// Those changed after `version`, deleted ones included.
    public static List<Version> changedAfter(Tx tx, long version) {
        return tx.query(
                "select * from connection where version > ?",
                row -> new Version(connection(row), !row.isNull("deleted_at")),
                version);
    }

    private static Connection connection(Row row) throws SQLException {
        return new Connection(
                new ConnectionId(row.uuid("id")),
                new WorkspaceId(row.uuid("workspace_id")),
                new SourceId(row.uuid("source_id")),
                new DestinationId(row.uuid("destination_id")),
                row.bool("enabled"),
                row.textOrNone("filter").map(Filter::stored),
                row.textOrNone("transformation").map(Transformation::stored),
                row.instant("created_at"),
                row.instant("updated_at"));
    }

    private static @Nullable String filter(Connection connection) {
        return connection.filter().map(filter -> filter.json().text()).orElse(null);
    }

    private static @Nullable String transformation(Connection connection) {
        return connection.transformation().map(each -> each.json().text()).orElse(null);
    }
}
