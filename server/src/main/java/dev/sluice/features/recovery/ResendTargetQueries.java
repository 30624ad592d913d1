package dev.sluice.features.recovery;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.EventId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Reads the connections to which events can be resent. Excludes connections that are deleted or
/// whose destination is deleted.
final class ResendTargetQueries {

    /// A connection to which events can be resent.
    record ResendTarget(ConnectionId connection, SourceId source, boolean isEnabled) {}

    private ResendTargetQueries() {}

    static Optional<SourceId> sourceOf(Tx tx, WorkspaceId workspace, EventId event) {
        var sources =
                tx.query(
                        "select id from source where workspace_id = ? and trashed_at is null",
                        row -> row.uuid("id"),
                        workspace.value());
        return tx.findOne(
                "select source_id from event where id = ? and source_id = any (?)",
                row -> new SourceId(row.uuid("source_id")),
                event.value(),
                sources);
    }

    /// Returns a source's connections, oldest first, including disabled ones.
    static List<ResendTarget> ofSource(Tx tx, SourceId source) {
        return tx.query(
                """
                select connection.id, source_id, enabled
                  from connection
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where source_id = ? and connection.deleted_at is null
                 order by connection.created_at, connection.id
                """,
                ResendTargetQueries::target,
                source.value());
    }

    /// Returns the given connections that belong to the workspace and whose source is not in the
    /// trash.
    static List<ResendTarget> findByIds(Tx tx, WorkspaceId workspace, List<UUID> connections) {
        return tx.query(
                """
                select connection.id, source_id, enabled
                  from connection
                  join source on source.id = source_id and trashed_at is null
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where connection.id = any (?) and connection.workspace_id = ?
                   and connection.deleted_at is null
                """,
                ResendTargetQueries::target,
                connections,
                workspace.value());
    }

    private static ResendTarget target(Row row) throws SQLException {
        return new ResendTarget(
                new ConnectionId(row.uuid("id")),
                new SourceId(row.uuid("source_id")),
                row.bool("enabled"));
    }
}
