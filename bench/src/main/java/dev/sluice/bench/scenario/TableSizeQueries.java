package dev.sluice.bench.scenario;

import dev.sluice.bench.relay.DatabaseAddress;
import dev.sluice.bench.report.ReportTable;

import java.sql.SQLException;
import java.util.OptionalDouble;

/// Reads the sizes of the relay's tables on disk; a table's partitions count together.
final class TableSizeQueries {

    private static final double BYTES_PER_MEGABYTE = 1024.0 * 1024;

    private TableSizeQueries() {}

    static ReportTable tableSizes(DatabaseAddress database) {
        var table =
                ReportTable.of(
                        "On disk",
                        "table | rows | dead rows | table MB | indexes MB | table bytes a row |"
                                + " index bytes a row");
        try (var connection = database.connect();
                var statement = connection.createStatement()) {
            statement.execute("analyze");
            var rows =
                    statement.executeQuery(
                            """
                            select regexp_replace(c.relname, '_[0-9]{8}$', '') as name,
                                   sum(s.n_live_tup) as live, sum(s.n_dead_tup) as dead,
                                   sum(pg_table_size(c.oid)) as bytes,
                                   sum(pg_indexes_size(c.oid)) as indexes
                              from pg_class c join pg_stat_user_tables s on s.relid = c.oid
                             where c.relkind = 'r'
                             group by 1
                            having sum(pg_total_relation_size(c.oid)) > 1000000
                             order by 4 desc
                            """);
            while (rows.next()) {
                double bytes = rows.getDouble("bytes");
                double indexes = rows.getDouble("indexes");
                long live = rows.getLong("live");
                table.row(
                        rows.getString("name"),
                        live,
                        rows.getLong("dead"),
                        bytes / BYTES_PER_MEGABYTE,
                        indexes / BYTES_PER_MEGABYTE,
                        bytesPerRow(bytes, live),
                        bytesPerRow(indexes, live));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return table;
    }

    private static OptionalDouble bytesPerRow(double bytes, long rows) {
        return rows == 0 ? OptionalDouble.empty() : OptionalDouble.of(bytes / rows);
    }
}
