package dev.sluice.bench.scenario;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Hashes the contents of a relay's tables, so that two databases can be compared.
final class TableHashQueries {

    /// @param rows the number of rows
    /// @param hash the sum of the hashes of all rows, so the order of the rows does not matter; `0`
    ///   if there are no rows
    /// @param bytes the size of the rows as text
    record TableHash(long rows, String hash, long bytes) {}

    private TableHashQueries() {}

    /// Returns each table's hash, keyed by the table's name. The hash of a partitioned table covers
    /// all its partitions.
    static SortedMap<String, TableHash> read(Connection connection) throws SQLException {
        var hashes = new TreeMap<String, TableHash>();
        try (var statement = connection.createStatement()) {
            for (String table : tables(connection)) {
                // A row's text contains its payload as hexadecimal digits.
                try (var row =
                        statement.executeQuery(
                                """
                                select count(*), coalesce(sum(hashtextextended(line, 0)::numeric), 0)::text,
                                       coalesce(sum(length(line)), 0)
                                  from (select one::text as line from %s as one) as lines
                                """
                                        .formatted(table))) {
                    row.next();
                    hashes.put(
                            table, new TableHash(row.getLong(1), row.getString(2), row.getLong(3)));
                }
            }
        }
        return hashes;
    }

    private static List<String> tables(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                """
                                select relname
                                  from pg_class
                                 where relnamespace = 'sluice'::regnamespace and relkind in ('r', 'p')
                                   and not relispartition
                                """)) {
            var names = new ArrayList<String>();
            while (rows.next()) {
                names.add(rows.getString(1));
            }
            return names;
        }
    }
}
