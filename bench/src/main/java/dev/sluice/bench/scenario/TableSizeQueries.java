package dev.sluice.bench.scenario;

import dev.sluice.bench.relay.DatabaseAddress;
import dev.sluice.bench.report.ReportTable;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/// Reads how much disk space each table uses. The sizes of a table's partitions are added up.
final class TableSizeQueries {

    private static final double BYTES_PER_MEGABYTE = 1024.0 * 1024;
    private static final long MIN_BYTES_SHOWN = 1_000_000;

    /// @param rows the estimated number of rows
    /// @param tableBytes the size without indexes
    record TableSize(
            String schema,
            String name,
            long rows,
            long deadRows,
            long tableBytes,
            long indexBytes) {

        long bytes() {
            return tableBytes + indexBytes;
        }
    }

    private TableSizeQueries() {}

    /// Returns a table for the report, with one row for each database table that takes more than
    /// `MIN_BYTES_SHOWN` on disk.
    static ReportTable tableSizes(DatabaseAddress database) {
        var table =
                ReportTable.of(
                        "On disk",
                        "table | rows | dead rows | table MB | indexes MB | table bytes a row |"
                                + " index bytes a row");
        for (TableSize size : read(database)) {
            if (size.bytes() > MIN_BYTES_SHOWN) {
                table.row(
                        size.name(),
                        size.rows(),
                        size.deadRows(),
                        size.tableBytes() / BYTES_PER_MEGABYTE,
                        size.indexBytes() / BYTES_PER_MEGABYTE,
                        bytesPerRow(size.tableBytes(), size.rows()),
                        bytesPerRow(size.indexBytes(), size.rows()));
            }
        }
        return table;
    }

    /// Returns the sizes of all tables, sorted by size without indexes, largest first.
    static List<TableSize> read(DatabaseAddress database) {
        var sizes = new ArrayList<TableSize>();
        try (var connection = database.connect();
                var statement = connection.createStatement()) {
            statement.execute("analyze");
            var rows =
                    statement.executeQuery(
                            """
                            select s.schemaname as schema,
                                   regexp_replace(c.relname, '_[0-9]{8}$', '') as name,
                                   sum(s.n_live_tup) as live, sum(s.n_dead_tup) as dead,
                                   sum(pg_table_size(c.oid)) as bytes,
                                   sum(pg_indexes_size(c.oid)) as indexes
                              from pg_class c join pg_stat_user_tables s on s.relid = c.oid
                             where c.relkind = 'r'
                             group by 1, 2
                             order by 5 desc
                            """);
            while (rows.next()) {
                sizes.add(
                        new TableSize(
                                rows.getString("schema"),
                                rows.getString("name"),
                                rows.getLong("live"),
                                rows.getLong("dead"),
                                rows.getLong("bytes"),
                                rows.getLong("indexes")));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return sizes;
    }

    private static OptionalDouble bytesPerRow(long bytes, long rows) {
        return rows == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) bytes / rows);
    }
}
