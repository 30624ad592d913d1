package dev.sluice.features.transfer;

import dev.sluice.platform.datafile.DataFileHeader.TableLayout;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Tx;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.stream.Collectors;

/// Writes whole tables into an empty database.
final class TransferStore {

    private TransferStore() {}

    /// Locks the database until the transaction ends. The advisory lock makes other imports wait,
    /// and tells a starting server that an import is running. The table locks block the first
    /// statements that a server runs on its first start.
    static void lockDatabase(Tx tx) {
        // If the connection to this machine is lost, PostgreSQL notices within a few minutes and
        // releases the locks.
        tx.update("set local tcp_keepalives_idle = 60");
        tx.query(
                "select pg_advisory_xact_lock(?)::text as locked",
                row -> row.text("locked"),
                TransferQueries.IMPORT_LOCK);
        tx.update("lock table sealing_canary, config_version, workspace in access exclusive mode");
    }

    /// Drops the schema with all its tables.
    static void dropSchema(Tx tx) {
        tx.update("drop schema " + TransferQueries.quoted(Database.SCHEMA) + " cascade");
    }

    /// Deletes the rows that migrations wrote into the table.
    static void clear(Tx tx, TableLayout table) {
        tx.update("delete from " + TransferQueries.quoted(table.name()));
    }

    /// Writes rows that are in the binary format of COPY. Returns the number of rows.
    static long write(Tx tx, String table, List<String> columns, InputStream rows)
            throws IOException {
        String list =
                columns.stream().map(TransferQueries::quoted).collect(Collectors.joining(", "));
        return tx.copyIn(
                "copy "
                        + TransferQueries.quoted(table)
                        + " ("
                        + list
                        + ") from stdin (format binary)",
                rows);
    }

    /// Makes a sequence continue after `lastValue`. Returns false if there is no such sequence.
    static boolean continueSequence(Tx tx, String name, long lastValue) {
        return !tx.query(
                        """
                        select setval(oid::regclass, ?) as value
                          from pg_class
                         where relkind = 'S' and relname = ?
                           and relnamespace = current_schema()::regnamespace
                        """,
                        row -> row.number("value"),
                        lastValue,
                        name)
                .isEmpty();
    }
}
