package dev.sluice.relay.replay;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.EventId;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Reads what can be resent, and where to. What is in the trash or deleted is not found.
final class Targets {

    /// A connection of the workspace.
    record Target(ConnectionId connection, SourceId source, boolean isEnabled) {}

    private Targets() {}

    static Optional<SourceId> sourceOf(Tx tx, WorkspaceId workspace, EventId event) {
        var sources =
                tx.query(
                        "select id from source where workspace_id = ? and trashed_at is null",
                        row -> row.uuid("id"),
                        workspace.value());
        return tx.one(
                "select source_id from event where id = ? and source_id = any (?)",
                row -> new SourceId(row.uuid("source_id")),
                event.value(),
                sources);
    }

    /// All connections of a source, the oldest first.
    static List<Target> ofSource(Tx tx, SourceId source) {
        return tx.query(
                """
                select connection.id, source_id, enabled
                  from connection
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where source_id = ? and connection.deleted_at is null
                 order by connection.created_at, connection.id
                """,
                Targets::target,
                source.value());
    }

    /// Those of these connections that the workspace has.
    static List<Target> named(Tx tx, WorkspaceId workspace, List<UUID> connections) {
        return tx.query(
                """
                select connection.id, source_id, enabled
                  from connection
                  join source on source.id = source_id and trashed_at is null
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where connection.id = any (?) and connection.workspace_id = ?
                   and connection.deleted_at is null
                """,
                Targets::target,
                connections,
                workspace.value());
    }

    private static Target target(Row row) throws SQLException {
        return new Target(
                new ConnectionId(row.uuid("id")),
                new SourceId(row.uuid("source_id")),
                row.bool("enabled"));
    }
}
