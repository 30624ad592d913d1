package dev.sluice.gateway.connection;

import static java.util.Objects.requireNonNull;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.NameSearch;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationQueries;
import dev.sluice.gateway.filter.Filter;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Reads connections. `find`, `list` and `count` omit deleted connections, and connections whose
/// source is in the trash or whose destination is deleted.
public final class ConnectionQueries {

    /// A connection as it is loaded into a node's memory, and whether it is deleted.
    public record ConnectionVersion(Connection connection, boolean isDeleted) {}

    /// A connection that has ended: it delivers no more events because it or its destination was
    /// deleted.
    ///
    /// @param isByDestination whether the connection ended because its destination was deleted;
    ///   false if the connection itself was deleted first
    public record EndedConnection(ConnectionId id, boolean isByDestination) {}

    private ConnectionQueries() {}

    static Optional<Connection> find(Tx tx, WorkspaceId workspace, ConnectionId id) {
        return tx.findOne(
                """
                select connection.*
                  from connection
                  join source on source.id = source_id and trashed_at is null
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where connection.id = ? and connection.workspace_id = ? and connection.deleted_at is null
                """,
                ConnectionQueries::connection,
                id.value(),
                workspace.value());
    }

    /// Selects the connections to list. An empty `source`, `destination` or `q` does not restrict
    /// the list.
    ///
    /// @param q text that the source's or the destination's name must contain, ignoring case
    record ConnectionListFilter(
            Optional<UUID> source, Optional<UUID> destination, Optional<String> q) {

        private static final String IS_NAMED =
                """
                 and (strpos(lower(source.name), lower(?)) > 0
                      or strpos(lower(destination.name), lower(?)) > 0)
                """;

        private String conditions() {
            return (source.isPresent() ? " and source_id = ?" : "")
                    + (destination.isPresent() ? " and destination_id = ?" : "")
                    + (q.isPresent() ? IS_NAMED : "")
                    + "\n";
        }

        private List<Object> arguments(WorkspaceId workspace) {
            var arguments = new ArrayList<Object>(List.of(workspace.value()));
            source.ifPresent(arguments::add);
            destination.ifPresent(arguments::add);
            q.ifPresent(text -> arguments.addAll(List.of(text, text)));
            return arguments;
        }
    }

    static List<Connection> list(
            Tx tx, WorkspaceId workspace, ConnectionListFilter filter, long offset, int limit) {
        var arguments = filter.arguments(workspace);
        arguments.addAll(List.of(offset, limit));
        return tx.query(
                """
                select connection.*
                  from connection
                  join source on source.id = source_id and trashed_at is null
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where connection.workspace_id = ? and connection.deleted_at is null
                """
                        + filter.conditions()
                        + """
                         order by connection.created_at desc, connection.id desc
                        offset ? limit ?
                        """,
                ConnectionQueries::connection,
                arguments.toArray());
    }

    static long count(Tx tx, WorkspaceId workspace, ConnectionListFilter filter) {
        return tx.single(
                """
                select count(*) as n
                  from connection
                  join source on source.id = source_id and trashed_at is null
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where connection.workspace_id = ? and connection.deleted_at is null
                """
                        + filter.conditions(),
                row -> row.number("n"),
                filter.arguments(workspace).toArray());
    }

    /// Lists a source's connections, newest first. Omits deleted connections, and connections whose
    /// destination is deleted.
    ///
    /// @param q text that the destination's name must contain, ignoring case; empty for all
    ///   connections
    static List<Connection> listBySource(Tx tx, SourceId source, String q, long offset, int limit) {
        return tx.query(
                """
                select connection.*
                  from connection
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where source_id = ? and connection.deleted_at is null
                """
                        + NameSearch.CONDITION
                        + """
                         order by connection.created_at desc, connection.id desc
                        offset ? limit ?
                        """,
                ConnectionQueries::connection,
                source.value(),
                q,
                q,
                offset,
                limit);
    }

    static long countBySource(Tx tx, SourceId source, String q) {
        return tx.single(
                """
                select count(*) as n
                  from connection
                  join destination on destination.id = destination_id and destination.deleted_at is null
                 where source_id = ? and connection.deleted_at is null
                """
                        + NameSearch.CONDITION,
                row -> row.number("n"),
                source.value(),
                q,
                q);
    }

    /// Returns up to `limit` connections that are not marked as deleted, ordered by id.
    ///
    /// The result includes connections whose destination is deleted, until
    /// [ConnectionStore#endLeftOver] marks these connections as deleted.
    ///
    /// @param after only connections with a higher id than this are returned
    public static List<ConnectionVersion> live(Tx tx, UUID after, int limit) {
        return tx.query(
                """
                select *
                  from connection
                 where deleted_at is null and id > ?
                 order by id
                 limit ?
                """,
                ConnectionQueries::version,
                after,
                limit);
    }

    /// Returns the connections that changed after the configuration version `version`, including
    /// deleted connections.
    public static List<ConnectionVersion> changedAfter(Tx tx, long version) {
        return tx.query(
                "select * from connection where version > ?", ConnectionQueries::version, version);
    }

    private static ConnectionVersion version(Row row) throws SQLException {
        return new ConnectionVersion(connection(row), !row.isNull("deleted_at"));
    }

    /// Returns those of the given connections that have ended, and says for each whether the
    /// connection or its destination was deleted first. Omits connections whose rows have been
    /// removed.
    public static List<EndedConnection> ended(Tx tx, List<ConnectionId> connections) {
        return tx.query(
                """
                select connection.id,
                       coalesce(destination.deleted_at <= connection.deleted_at,
                                connection.deleted_at is null) as by_destination
                  from connection
                  join destination on destination.id = destination_id
                 where connection.id = any (?)
                   and (connection.deleted_at is not null or destination.deleted_at is not null)
                """,
                row ->
                        new EndedConnection(
                                new ConnectionId(row.uuid("id")), row.bool("by_destination")),
                connections.stream().map(ConnectionId::value).toList());
    }

    /// Returns up to `limit` connections that were deleted before the time `before`, ordered by id.
    ///
    /// @param after only connections with a higher id than this are returned
    public static List<ConnectionId> deletedBefore(Tx tx, Instant before, UUID after, int limit) {
        return tx.query(
                """
                select id
                  from connection
                 where deleted_at is not null and deleted_at < ? and id > ?
                 order by id
                 limit ?
                """,
                row -> new ConnectionId(row.uuid("id")),
                before,
                after,
                limit);
    }

    /// Returns all of the sources' connections, including deleted connections whose rows still
    /// exist.
    public static List<ConnectionId> allOf(Tx tx, List<SourceId> sources) {
        return tx.query(
                "select id from connection where source_id = any (?)",
                row -> new ConnectionId(row.uuid("id")),
                sources.stream().map(SourceId::value).toList());
    }

    /// Returns a name for the connection, made from the names of its source and destination, such
    /// as "Shop to Orders".
    public static String name(Tx tx, ConnectionId id) {
        return tx.single(
                """
                select source.name || ' to ' || destination.name as name
                  from connection
                  join source on source.id = source_id
                  join destination on destination.id = destination_id
                 where connection.id = ?
                """,
                row -> row.text("name"),
                id.value());
    }

    /// Returns the connection with its destination, or empty if the destination's row has been
    /// removed.
    static Optional<ConnectionView> view(Tx tx, Connection connection) {
        return views(tx, List.of(connection)).stream().findFirst();
    }

    /// Returns the connections with their destinations, in the given order. Omits connections whose
    /// destination's row has been removed.
    static List<ConnectionView> views(Tx tx, List<Connection> connections) {
        var destinations =
                DestinationQueries.summaries(
                        tx, connections.stream().map(Connection::destination).toList());
        return connections.stream()
                .filter(connection -> destinations.containsKey(connection.destination()))
                .map(connection ->
                        new ConnectionView(
                                connection,
                                requireNonNull(destinations.get(connection.destination()))))
                .toList();
    }

    static Connection connection(Row row) throws SQLException {
        return new Connection(
                new ConnectionId(row.uuid("id")),
                new WorkspaceId(row.uuid("workspace_id")),
                new SourceId(row.uuid("source_id")),
                new DestinationId(row.uuid("destination_id")),
                new Connection.ConnectionSpec(
                        row.bool("enabled"),
                        row.textOrNone("filter").map(ConnectionQueries::filter),
                        row.textOrNone("transformation").map(ConnectionQueries::transformation)),
                row.instant("created_at"),
                row.instant("updated_at"));
    }

    /// Parses a stored filter. Returns [Filter#UNREADABLE] if the filter is not valid, because one
    /// invalid row must not prevent the other rows from being read.
    private static Filter filter(String json) {
        try {
            return Filter.parseStored(json);
        } catch (RuntimeException e) {
            return Filter.UNREADABLE;
        }
    }

    static Transformation transformation(String json) {
        try {
            return Transformation.parseStored(json);
        } catch (RuntimeException e) {
            return Transformation.UNREADABLE;
        }
    }
}
