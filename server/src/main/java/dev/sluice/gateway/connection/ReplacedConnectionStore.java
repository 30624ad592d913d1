package dev.sluice.gateway.connection;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.ReplacedRowStore;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Stores a connection's transformation when a change replaces it. Also finds the transformation
/// that was in force at an earlier configuration version.
public final class ReplacedConnectionStore {

    private static final ReplacedRowStore ROWS =
            new ReplacedRowStore("replaced_connection", "connection_id", "id");

    /// The settings that determine what a connection's requests contain and where they are sent.
    public record SentConnection(
            DestinationId destination, Optional<Transformation> transformation) {}

    private record ReplacedTransformation(Optional<Transformation> transformation) {}

    private ReplacedConnectionStore() {}

    /// Returns the connection's settings as of configuration version `version`. Returns empty if
    /// the connection's row has been removed.
    public static Optional<SentConnection> at(Tx tx, ConnectionId id, long version) {
        return tx.findOne(
                        "select * from connection where id = ?",
                        ConnectionQueries::connection,
                        id.value())
                .map(connection ->
                        new SentConnection(
                                connection.destination(),
                                replaced(tx, id, version)
                                        .map(ReplacedTransformation::transformation)
                                        .orElse(connection.transformation())));
    }

    private static Optional<ReplacedTransformation> replaced(Tx tx, ConnectionId id, long version) {
        return tx.findOne(
                """
                select transformation
                  from replaced_connection
                 where connection_id = ? and until_version > ?
                 order by until_version
                 limit 1
                """,
                row ->
                        new ReplacedTransformation(
                                row.textOrNone("transformation")
                                        .map(ConnectionQueries::transformation)),
                id.value(),
                version);
    }

    /// Stores the current transformation if the change from `before` to `after` replaces it. Must
    /// be called before the connection's row is overwritten.
    ///
    /// @param version the configuration version of the change
    static void keep(Tx tx, Connection before, Connection after, long version) {
        if (before.transformation().equals(after.transformation())) {
            return;
        }
        tx.update(
                """
                insert into replaced_connection (connection_id, workspace_id, until_version,
                                                 replaced_at, transformation)
                select id, workspace_id, ?, now(), transformation
                  from connection
                 where id = ?
                """,
                version,
                before.id().value());
        ROWS.trim(tx, before.id().value());
    }

    /// Removes the replaced transformations of all connections that belong to these sources.
    static void removeOf(Tx tx, List<SourceId> sources) {
        tx.update(
                """
                delete from replaced_connection
                 where connection_id in (select id from connection where source_id = any (?))
                """,
                sources.stream().map(SourceId::value).toList());
    }

    /// See [ReplacedRowStore#deleteOf].
    public static void deleteOf(Tx tx, WorkspaceId workspace, Instant newest) {
        ROWS.deleteOf(tx, workspace, newest);
    }

    /// See [ReplacedRowStore#removeBefore].
    public static int removeBefore(Tx tx, Instant before, int limit) {
        return ROWS.removeBefore(tx, before, limit);
    }

    /// See [ReplacedRowStore#removeUnnamed].
    public static int removeUnnamed(Tx tx, Instant from, Instant to, int limit) {
        return ROWS.removeUnnamed(tx, from, to, limit);
    }
}
