package dev.sluice.features.lists;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.features.lists.DeliveryScope.ScopedConnection;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.UUID;

/// Determines which connections a list of deliveries covers.
public final class DeliveryScopeQueries {

    private DeliveryScopeQueries() {}

    /// Returns the connections that match the filter and whose sources belong to the workspace and
    /// are not in the trash. The scope is empty if the filter names something that belongs to
    /// another workspace.
    public static DeliveryScope scope(Tx tx, WorkspaceId workspace, DeliveryFilter filter) {
        var targets = new LinkedHashMap<UUID, ScopedConnection>();
        tx
                .query(
                        """
                        select connection.id, connection.source_id, connection.destination_id,
                               destination.name,
                               (connection.deleted_at is not null
                                or destination.deleted_at is not null) as is_deleted
                          from connection
                          join source on source.id = connection.source_id
                          join destination on destination.id = connection.destination_id
                         where source.workspace_id = ? and source.trashed_at is null
                         order by connection.created_at desc, connection.id desc
                        """,
                        DeliveryScopeQueries::connection,
                        workspace.value())
                .stream()
                .filter(connection -> passes(filter, connection))
                .forEach(connection -> targets.put(connection.connection().value(), connection));
        return new DeliveryScope(
                targets, filter.connection().isEmpty() && filter.destination().isEmpty());
    }

    private static ScopedConnection connection(Row row) throws SQLException {
        return new ScopedConnection(
                new ConnectionId(row.uuid("id")),
                new SourceId(row.uuid("source_id")),
                new DestinationId(row.uuid("destination_id")),
                row.text("name"),
                row.bool("is_deleted"));
    }

    private static boolean passes(DeliveryFilter filter, ScopedConnection connection) {
        return filter.source().map(connection.source()::equals).orElse(true)
                && filter.connection().map(connection.connection()::equals).orElse(true)
                && filter.destination().map(connection.destination()::equals).orElse(true);
    }
}
