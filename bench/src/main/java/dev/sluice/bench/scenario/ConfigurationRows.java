package dev.sluice.bench.scenario;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/// Adds sources and connections to a relay's database. The sources are copies of an existing
/// source, and the connections lead to an existing destination.
final class ConfigurationRows {

    private ConfigurationRows() {}

    /// @param connections the number of connections to add, each with its own source
    /// @param purged the number of purged sources to add, each with a deleted connection
    static void add(Connection database, int connections, int purged) throws SQLException {
        addSources(database, "live-", connections, "null");
        addSources(database, "purged-", purged, "now()");
        try (var statement = database.createStatement()) {
            statement.execute("update config_version set version = version + 1");
            statement.execute("analyze source, connection");
        }
    }

    /// @param deletedAt the SQL expression for the time when the rows were deleted, or `null` if
    ///   they are not deleted
    private static void addSources(Connection database, String tokens, int count, String deletedAt)
            throws SQLException {
        var statements =
                List.of(
                        """
                        insert into source (id, workspace_id, name, color, token, status, created_at,
                                            updated_at, trashed_at, purged_at, version)
                        select gen_random_uuid(), workspace_id, name, color, '%s' || n, status, created_at,
                               updated_at, %s, %s, version
                          from (select * from source where token not like '%%-%%' limit 1) as source,
                               generate_series(1, %d) as n
                        """
                                .formatted(tokens, deletedAt, deletedAt, count),
                        """
                        insert into connection (id, workspace_id, source_id, destination_id, enabled,
                                                created_at, updated_at, deleted_at, version)
                        select gen_random_uuid(), source.workspace_id, source.id, destination_id, true,
                               source.created_at, source.updated_at, %s, source.version
                          from (select destination_id from connection limit 1) as connection,
                               source
                         where token like '%s%%'
                        """
                                .formatted(deletedAt, tokens));
        try (var statement = database.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
