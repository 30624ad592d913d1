package dev.sluice.gateway.connection;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Stores a connection's transformation when a change replaces it. Reads the transformation that
/// was in force at a configuration version.
public final class ReplacedConnectionStore {

    /// The settings of a connection that determine its requests.
    public record SentConnection(
            DestinationId destination, Optional<Transformation> transformation) {}

    private record ReplacedTransformation(Optional<Transformation> transformation) {}

    private ReplacedConnectionStore() {}

    /// Returns the connection's settings at the configuration version `version`. Empty if the
    /// connection's row has been removed.
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
                insert into replaced_connection (connection_id, until_version, replaced_at,
                                                 transformation)
                select id, ?, now(), transformation
                  from connection
                 where id = ?
                """,
                version,
                before.id().value());
    }

    /// Removes the replaced transformations of all connections of these sources.
    static void removeOf(Tx tx, List<SourceId> sources) {
        tx.update(
                """
                delete from replaced_connection
                 where connection_id in (select id from connection where source_id = any (?))
                """,
                sources.stream().map(SourceId::value).toList());
    }

    /// Removes up to `limit` transformations that were replaced before `before`. Returns the number
    /// of removed rows. The caller must make sure that no stored attempt was made before `before`.
    public static int removeBefore(Tx tx, Instant before, int limit) {
        return tx.update(
                """
                delete from replaced_connection
                 where (connection_id, until_version) in (
                       select connection_id, until_version
                         from replaced_connection
                        where replaced_at < ?
                        limit ?)
                """,
                before,
                limit);
    }

    /// Removes up to `limit` rows that were replaced in this time, a day before the first delivery
    /// that is still counted. No attempt names them.
    ///
    /// @param from inclusive
    /// @param to exclusive; must be so long ago that attempts of that time have ended, and their
    ///   deliveries are counted by the hour
    public static int removeUnnamed(Tx tx, Instant from, Instant to, int limit) {
        return tx.update(
                """
                with recent as materialized (
                  select connection_id, until_version, replaced_at
                    from replaced_connection
                   where replaced_at >= ? and replaced_at < ?
                ), first_delivery as materialized (
                  select connection_id, to_timestamp(3600.0 * (
                           select min(hour)
                             from rollup_hour
                            where kind = 3 and key = asked.connection_id)) as hour
                    from (select distinct connection_id from recent) as asked
                )
                delete from replaced_connection
                 where (connection_id, until_version) in (
                       select connection_id, until_version
                         from recent
                         join first_delivery using (connection_id)
                        where hour is null or replaced_at < hour - interval '24 hours'
                        limit ?)
                """,
                from,
                to,
                limit);
    }
}
