package dev.sluice.observe.deadletters;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/// The connections whose deliveries a list is about, deleted ones included, the newest first.
///
/// @param isWhole whether they are all that their sources ever had
record Scope(Map<UUID, Target> targets, boolean isWhole) {

    /// @param destinationName its present one
    record Target(
            ConnectionId connection,
            SourceId source,
            DestinationId destination,
            String destinationName,
            boolean isDeleted) {}

    /// Of the workspace's sources outside the trash. What is another workspace's gives none.
    static Scope of(Tx tx, WorkspaceId workspace, DeadLetterFilter filter) {
        var targets = new LinkedHashMap<UUID, Target>();
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
                        row ->
                                new Target(
                                        new ConnectionId(row.uuid("id")),
                                        new SourceId(row.uuid("source_id")),
                                        new DestinationId(row.uuid("destination_id")),
                                        row.text("name"),
                                        row.bool("is_deleted")),
                        workspace.value())
                .stream()
                .filter(target -> passes(filter, target))
                .forEach(target -> targets.put(target.connection().value(), target));
        return new Scope(targets, filter.connection().isEmpty() && filter.destination().isEmpty());
    }

    private static boolean passes(DeadLetterFilter filter, Target target) {
        return filter.source().map(target.source()::equals).orElse(true)
                && filter.connection().map(target.connection()::equals).orElse(true)
                && filter.destination().map(target.destination()::equals).orElse(true);
    }

    List<UUID> connections() {
        return List.copyOf(targets.keySet());
    }

    /// @param connection one of these
    Target target(UUID connection) {
        return Objects.requireNonNull(targets.get(connection));
    }
}
