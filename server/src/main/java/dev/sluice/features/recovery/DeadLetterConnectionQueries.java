package dev.sluice.features.recovery;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Reads the connections that a request about dead letters selects.
public final class DeadLetterConnectionQueries {

    private DeadLetterConnectionQueries() {}

    /// Returns the connections that match the source, connection and destination in the criteria,
    /// grouped by source. Includes deleted connections because they keep their dead letters.
    /// Excludes connections whose source is in the trash.
    ///
    /// @throws ApiException 404 if the criteria name a source, connection, destination or event
    ///   that the workspace does not have. A source in the trash counts as missing, as do its
    ///   connections and events
    public static List<DeadLetterConnection> matching(
            Tx tx, WorkspaceId workspace, DeadLetterCriteria criteria) {
        check(
                tx,
                "source",
                "select id from source where id = ? and workspace_id = ? and trashed_at is null",
                criteria.source(),
                workspace);
        check(
                tx,
                "connection",
                """
                select connection.id
                  from connection
                  join source on source.id = source_id and trashed_at is null
                 where connection.id = ? and connection.workspace_id = ?
                """,
                criteria.connection(),
                workspace);
        check(
                tx,
                "destination",
                "select id from destination where id = ? and workspace_id = ?",
                criteria.destination(),
                workspace);
        checkEvent(tx, workspace, criteria.event());
        return connections(tx, workspace, criteria);
    }

    private static void check(
            Tx tx, String kind, String sql, Optional<UUID> id, WorkspaceId workspace) {
        if (id.isPresent()
                && tx.findOne(sql, row -> row.uuid("id"), id.get(), workspace.value()).isEmpty()) {
            throw ApiException.notFound(kind, kind + "_id");
        }
    }

    private static void checkEvent(Tx tx, WorkspaceId workspace, Optional<UUID> event) {
        if (event.isEmpty()) {
            return;
        }
        var sources =
                tx.query(
                        "select id from source where workspace_id = ? and trashed_at is null",
                        row -> row.uuid("id"),
                        workspace.value());
        var found =
                tx.findOne(
                        "select id from event where id = ? and source_id = any (?)",
                        row -> row.uuid("id"),
                        event.get(),
                        sources);
        if (found.isEmpty()) {
            throw ApiException.notFound("event", "event_id");
        }
    }

    private static List<DeadLetterConnection> connections(
            Tx tx, WorkspaceId workspace, DeadLetterCriteria criteria) {
        var sql =
                new StringBuilder(
                        """
                        select connection.id, source_id,
                               enabled and connection.deleted_at is null
                                 and destination.deleted_at is null as is_resendable
                          from connection
                          join source on source.id = source_id and trashed_at is null
                          join destination on destination.id = destination_id
                         where source.workspace_id = ?
                        """);
        var arguments = new ArrayList<Object>(List.of(workspace.value()));
        addCondition(sql, arguments, "source_id", criteria.source());
        addCondition(sql, arguments, "connection.id", criteria.connection());
        addCondition(sql, arguments, "destination_id", criteria.destination());
        sql.append(" order by source_id, connection.id");
        return tx.query(
                sql.toString(),
                row ->
                        new DeadLetterConnection(
                                new ConnectionId(row.uuid("id")),
                                new SourceId(row.uuid("source_id")),
                                row.bool("is_resendable")),
                arguments.toArray());
    }

    private static void addCondition(
            StringBuilder sql, List<Object> arguments, String column, Optional<UUID> id) {
        if (id.isPresent()) {
            sql.append(" and ").append(column).append(" = ?");
            arguments.add(id.get());
        }
    }
}
