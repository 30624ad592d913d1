package dev.sluice.bench.scenario;

import dev.sluice.bench.platform.SystemCommands;
import dev.sluice.bench.relay.DatabaseAddress;
import dev.sluice.bench.relay.RelayProcess;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The disk space used by the tables in a relay's PostgreSQL, measured right after a checkpoint.
///
/// @param fileBytes the disk space used by the relay's `postgres` directory, including PostgreSQL's
///   programs but not the write-ahead log
record DiskUsage(Map<TableName, TableBytes> tables, long fileBytes) {

    record TableName(String schema, String name) {}

    record TableBytes(long table, long indexes) {

        private static final TableBytes NONE = new TableBytes(0, 0);

        private TableBytes plus(TableBytes other) {
            return new TableBytes(table + other.table, indexes + other.indexes);
        }

        private TableBytes minus(TableBytes other) {
            return new TableBytes(table - other.table, indexes - other.indexes);
        }
    }

    /// The average sizes of the body and the headers in an event's row, in bytes.
    record EventColumns(double body, double headers) {}

    DiskUsage {
        tables = Map.copyOf(tables);
    }

    static DiskUsage of(RelayProcess relay) {
        checkpoint(relay.database());
        var tables = new HashMap<TableName, TableBytes>();
        for (var size : TableSizeQueries.read(relay.database())) {
            tables.put(
                    new TableName(size.schema(), size.name()),
                    new TableBytes(size.tableBytes(), size.indexBytes()));
        }
        return new DiskUsage(tables, fileBytes(relay));
    }

    /// Returns the growth since an earlier measurement.
    DiskUsage minus(DiskUsage earlier) {
        var grown = new HashMap<TableName, TableBytes>();
        tables.forEach((name, bytes) ->
                grown.put(name, bytes.minus(earlier.tables.getOrDefault(name, TableBytes.NONE))));
        return new DiskUsage(grown, fileBytes - earlier.fileBytes);
    }

    TableBytes of(String schema, String name) {
        var bytes = tables.get(new TableName(schema, name));
        if (bytes == null) {
            throw new IllegalStateException("there is no table %s.%s".formatted(schema, name));
        }
        return bytes;
    }

    /// Returns the total size of all tables in the schema except those in `names`.
    TableBytes others(String schema, List<String> names) {
        return tables.entrySet().stream()
                .filter(entry -> entry.getKey().schema().equals(schema))
                .filter(entry -> !names.contains(entry.getKey().name()))
                .map(Map.Entry::getValue)
                .reduce(TableBytes.NONE, TableBytes::plus);
    }

    /// Returns how many bytes of write-ahead log have been written since the cluster was created.
    static long walBytes(DatabaseAddress database) {
        try (var connection = database.connect();
                var statement = connection.createStatement()) {
            var rows =
                    statement.executeQuery(
                            "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Returns the average sizes for the relay's 10,000 newest events.
    static EventColumns newestEvents(DatabaseAddress database) {
        try (var connection = database.connect();
                var statement = connection.createStatement()) {
            var rows =
                    statement.executeQuery(
                            """
                            select avg(octet_length(body)), avg(octet_length(headers))
                              from (select body, headers from event order by id desc limit 10000)
                            """);
            rows.next();
            return new EventColumns(rows.getDouble(1), rows.getDouble(2));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void checkpoint(DatabaseAddress database) {
        try (var connection = database.connect();
                var statement = connection.createStatement()) {
            statement.execute("checkpoint");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long fileBytes(RelayProcess relay) {
        var folder = relay.data().resolve("postgres").toString();
        var found = SystemCommands.run("du", "-s", "--block-size=1", "--exclude=pg_wal", folder);
        if (!found.isSuccess()) {
            throw new IllegalStateException("du failed: " + found.output());
        }
        return Long.parseLong(found.output().split("\\s", 2)[0]);
    }
}
