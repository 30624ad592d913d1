package dev.sluice.features.transfer;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Tx;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Reads whole tables. Also reads the names of the tables, columns and sequences from the database
/// catalog.
public final class TransferQueries {

    /// The key of the advisory lock that an import holds exclusively while it writes. Each server
    /// briefly takes this lock in shared mode when it starts.
    static final long IMPORT_LOCK = 0x536c_7569_6365_0001L;

    /// The identity of the database that a snapshot was taken from, and the time at which the
    /// snapshot's transaction began.
    record SnapshotOrigin(String database, Instant time) {}

    private TransferQueries() {}

    /// Whether an import is currently writing to the database.
    public static boolean isImportRunning(Tx tx) {
        return tx.single(
                "select not pg_try_advisory_xact_lock_shared(?) as is_running",
                row -> row.bool("is_running"),
                IMPORT_LOCK);
    }

    /// Whether the database has Sluice's schema.
    static boolean hasSchema(Tx tx) {
        return tx.single(
                "select to_regnamespace(?) is not null as is_there",
                row -> row.bool("is_there"),
                Database.SCHEMA);
    }

    /// Removes this transaction's limits on statement duration and idle time.
    static void liftTimeLimits(Tx tx) {
        tx.update("set local statement_timeout = 0");
        tx.update("set local idle_in_transaction_session_timeout = 0");
    }

    /// Locks the tables, so that they are not dropped or altered until the transaction ends, nor
    /// their partitions: nobody can finish detaching one while its table is locked. Other
    /// transactions can still read and write rows.
    static void keep(Tx tx, Collection<String> tables) {
        tx.update(
                "lock table only "
                        + tables.stream()
                                .map(TransferQueries::quoted)
                                .collect(Collectors.joining(", only "))
                        + " in access share mode");
    }

    static SnapshotOrigin origin(Tx tx) {
        return tx.single(
                """
                select (select system_identifier from pg_control_system())
                       || '-' || (select oid from pg_database where datname = current_database()) as name,
                       now() as at
                """,
                row -> new SnapshotOrigin(row.text("name"), row.instant("at")));
    }

    /// Returns each table's columns, in order. Leaves out partitions and the table that lists the
    /// migrations.
    static Map<String, List<String>> columns(Tx tx) {
        var columns = new LinkedHashMap<String, List<String>>();
        tx.query(
                        """
                        select pg_class.relname as table_name, attname as column_name
                          from pg_class
                          join pg_attribute on attrelid = pg_class.oid
                         where relnamespace = current_schema()::regnamespace
                           and relkind in ('r', 'p') and not relispartition
                           and relname <> 'flyway_schema_history'
                           and attnum > 0 and not attisdropped
                         order by relname, attnum
                        """,
                        row -> Map.entry(row.text("table_name"), row.text("column_name")))
                .forEach(column ->
                        columns.computeIfAbsent(column.getKey(), _ -> new ArrayList<>())
                                .add(column.getValue()));
        return columns;
    }

    /// Returns the last value of each sequence that has been used.
    static Map<String, Long> sequences(Tx tx) {
        var sequences = new TreeMap<String, Long>();
        tx.query(
                        """
                        select sequencename, last_value
                          from pg_sequences
                         where schemaname = current_schema() and last_value is not null
                        """,
                        row -> Map.entry(row.text("sequencename"), row.number("last_value")))
                .forEach(sequence -> sequences.put(sequence.getKey(), sequence.getValue()));
        return sequences;
    }

    /// Whether the tables of one row have it, and the configuration can change `Long.MAX_VALUE / 2`
    /// more times. Otherwise no server could start.
    static boolean isUsable(Tx tx) {
        return tx.single(
                """
                select (select count(*) = 1 and min(version) >= 0 and max(version) <= ?
                          from config_version)
                   and (select count(*) = 1 from clock)
                   and (select count(*) = 1 from audit) as is_usable
                """,
                row -> row.bool("is_usable"),
                Long.MAX_VALUE / 2);
    }

    static boolean hasRows(Tx tx, String table) {
        return tx.single(
                "select exists (select from " + quoted(table) + ") as has_rows",
                row -> row.bool("has_rows"));
    }

    /// Returns an id with which [#joinSnapshot] sees what this transaction sees, until it ends.
    static String snapshotId(Tx tx) {
        return tx.single("select pg_export_snapshot() as id", row -> row.text("id"));
    }

    /// Makes this transaction, which has done nothing yet, see what another one sees.
    static void joinSnapshot(Tx tx, String id) {
        tx.update("set transaction isolation level repeatable read, read only");
        tx.update("set transaction snapshot '" + id + "'");
        liftTimeLimits(tx);
    }

    /// Passes all rows to `reader`, in the binary format of COPY. Returns the number of rows.
    ///
    /// @param columns all of the table's columns
    /// @param condition an SQL condition that the rows must meet
    static long read(
            Tx tx,
            ExportedTable table,
            List<String> columns,
            String condition,
            Tx.CopyReader reader)
            throws IOException {
        String values =
                columns.stream()
                        .map(column -> table.expressions().getOrDefault(column, quoted(column)))
                        .collect(Collectors.joining(", "));
        return tx.copyOut(
                "copy (select "
                        + values
                        + " from "
                        + quoted(table.name())
                        + " where "
                        + condition
                        + ") to stdout (format binary)",
                reader);
    }

    /// Returns the name as a quoted SQL identifier.
    static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
