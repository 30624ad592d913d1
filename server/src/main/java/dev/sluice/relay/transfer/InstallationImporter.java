package dev.sluice.relay.transfer;

import dev.sluice.account.access.SealingCanaryStore;
import dev.sluice.platform.datafile.ConvertedRows;
import dev.sluice.platform.datafile.ConvertedRows.KeyChange;
import dev.sluice.platform.datafile.DataFileException;
import dev.sluice.platform.datafile.DataFileHeader;
import dev.sluice.platform.datafile.DataFileHeader.TableLayout;
import dev.sluice.platform.datafile.DataFileReader;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.DbFailure;
import dev.sluice.platform.db.SchemaMigrator;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.relay.store.PartitionStore;
import dev.sluice.relay.usage.CommitLogStore;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// Reads a data file into an empty database.
///
/// All rows are written in one transaction, which commits only after the file's checksum has been
/// verified. If the import stops before that, the database has the tables but no imported rows, and
/// the import can be repeated.
public final class InstallationImporter {

    /// How long the database may take to respond. Committing many rows can take a long time on a
    /// slow disk.
    private static final Duration SILENCE_TIMEOUT = Duration.ofMinutes(10);

    private final Database database;
    private final TransferProgress progress;
    private final AtomicLong unreadable = new AtomicLong();

    public InstallationImporter(Database database, TransferProgress progress) {
        this.database = database;
        this.progress = progress;
    }

    /// Returns the sealer that opens the secrets in the file.
    ///
    /// @param master the importing server's master key, if it is known
    /// @param passphrase the file's passphrase, if one was given
    /// @throws DataFileException if the secrets cannot be opened
    public static Sealer openSecrets(
            DataFileHeader header,
            Optional<Sealer> master,
            Optional<Secret> passphrase,
            SecretGenerator random) {
        try {
            var sealer =
                    header.passphrase().isPresent()
                            ? passphrase.map(given ->
                                    FilePassphrase.sealer(given, header.passphrase().get(), random))
                            : master;
            byte[] canary = Base64.getDecoder().decode(header.canary());
            return sealer.filter(found -> SealingCanaryStore.isSealedBy(found, canary))
                    .orElseThrow(() -> new DataFileException(wrongKey(header, master)));
        } catch (IllegalArgumentException e) {
            throw new DataFileException(
                    "The file's header is damaged. Fetch it again, or use another one.");
        }
    }

    private static String wrongKey(DataFileHeader header, Optional<Sealer> master) {
        if (header.passphrase().isPresent()) {
            return "The passphrase is not the file's. Give the one with which it was exported.";
        }
        String needed =
                " The file needs that of the server that wrote it (database "
                        + header.origin().database()
                        + "): set SLUICE_MASTER_KEY to it, or export again with a passphrase.";
        return master.isPresent()
                ? "The secrets in the file were sealed with another master key." + needed
                : "There is no master key to open the file's secrets." + needed;
    }

    /// Checks that the file's schema version is compatible with this program and the database, and
    /// that the database is empty. Changes nothing.
    ///
    /// @throws DataFileException if the file cannot be imported
    public void requireFit(DataFileReader file) {
        var version = SchemaMigrator.version(database);
        int ofFile = FormerSchema.migration(file);
        if (ofFile > version.newest()) {
            throw new DataFileException(
                    "The file was written by a newer version of Sluice ("
                            + file.header().origin().version()
                            + "). Import it with that version, or a later one.");
        }
        if (version.applied() == 0) {
            return;
        }
        try (var db = open()) {
            db.run(tx -> requireEmpty(tx, TransferQueries.columns(tx)));
        }
        if (version.isForeign() || version.applied() != ofFile) {
            throw new DataFileException(
                    "The database has tables of another version of Sluice. Import into a new"
                            + " database.");
        }
    }

    private void requireEmpty(Tx tx, Map<String, List<String>> columns) {
        for (String table : columns.keySet()) {
            if (!InstallationTables.SEEDED.contains(table) && TransferQueries.hasRows(tx, table)) {
                throw new DataFileException(
                        "The database "
                                + database.name()
                                + " is not empty: the table "
                                + table
                                + " has rows. Import into a new database.");
            }
        }
    }

    /// Creates the tables for the file's schema version, writes the file's rows into them, and then
    /// migrates the schema to the newest version. If only the migration fails, the rows are kept,
    /// and the summary gives the reason.
    ///
    /// @param secrets the sealer that opens the secrets in the file
    /// @param master the sealer that seals the secrets in the database
    /// @throws DataFileException if the file is damaged, or the database is no longer empty
    public TransferSummary read(DataFileReader file, Sealer secrets, Sealer master) {
        SchemaMigrator.run(database, FormerSchema.migration(file));
        TransferSummary summary;
        try (var db = open()) {
            new PartitionStore(db).make(file.header().days());
            var change = new KeyChange(secrets, master, unreadable::incrementAndGet);
            summary =
                    db.call(tx -> {
                        try {
                            return read(tx, file, change);
                        } catch (IOException e) {
                            throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
                        }
                    });
        }
        try {
            SchemaMigrator.run(database);
        } catch (DbException e) {
            return summary.withMigrationFailure(String.valueOf(e.getMessage()));
        }
        return summary;
    }

    private Db open() {
        return Db.open(database, "import-data", 1, SILENCE_TIMEOUT);
    }

    private TransferSummary read(Tx tx, DataFileReader file, KeyChange change) throws IOException {
        TransferQueries.liftTimeLimits(tx);
        TransferStore.lockDatabase(tx);
        var columns = TransferQueries.columns(tx);
        requireEmpty(tx, columns);
        var layouts = new HashMap<String, TableLayout>();
        file.header().tables().forEach(table -> layouts.put(table.name(), table));
        var summary = TransferSummary.NONE;
        for (var name = file.nextTable(); name.isPresent(); name = file.nextTable()) {
            var layout = known(file, Optional.ofNullable(layouts.remove(name.get())), columns);
            summary = summary.plus(layout.name(), readTable(tx, file, layout, change));
        }
        file.end();
        if (!layouts.isEmpty()) {
            throw unknownContent();
        }
        file.header()
                .sequences()
                .forEach((sequence, last) -> {
                    if (!TransferStore.continueSequence(tx, sequence, last)) {
                        throw unknownContent();
                    }
                });
        CommitLogStore.restart(tx, beginning(file.header()));
        SealingCanaryStore.create(tx, change.to());
        return summary.withUnreadable(unreadable.get());
    }

    /// Returns a time before which no event arrived.
    private static Instant beginning(DataFileHeader header) {
        return header.days().stream()
                .min(Comparator.naturalOrder())
                .map(day -> day.atStartOfDay().toInstant(ZoneOffset.UTC))
                .orElse(header.origin().createdAt());
    }

    /// Returns the layout if the database has this table with these columns; throws otherwise. This
    /// check ensures that a name from the file is used in an SQL statement only if it exists in the
    /// database.
    private static TableLayout known(
            DataFileReader file, Optional<TableLayout> layout, Map<String, List<String>> columns) {
        return layout.filter(table ->
                        columns.getOrDefault(table.name(), List.of())
                                .containsAll(FormerSchema.keptColumns(file, table)))
                .filter(table -> table.columns().containsAll(table.sealed().keySet()))
                .orElseThrow(InstallationImporter::unknownContent);
    }

    private static DataFileException unknownContent() {
        return new DataFileException(
                "The file has other tables than its version of Sluice. It was made by another"
                        + " program. Name one that export-data wrote.");
    }

    private long readTable(Tx tx, DataFileReader file, TableLayout layout, KeyChange change)
            throws IOException {
        if (layout.isSeeded()) {
            TransferStore.clear(tx, layout);
        }
        var bytes = new AtomicLong();
        InputStream rows = counted(file.rows(), layout, bytes);
        var kept = FormerSchema.keptColumns(file, layout);
        var dropped = new HashSet<>(layout.columns());
        dropped.removeAll(kept);
        boolean isResealed = change.from() != change.to() && !layout.sealed().isEmpty();
        if (isResealed || !dropped.isEmpty()) {
            var newKey = isResealed ? Optional.of(change) : Optional.<KeyChange>empty();
            rows = new ConvertedRows(rows, layout, dropped, newKey);
        }
        long written = write(tx, layout.name(), kept, rows);
        if (written != file.rowCount()) {
            throw new DataFileException(
                    "The file has another number of rows of the table "
                            + layout.name()
                            + " than it says. Fetch it again, or use another one.");
        }
        progress.finished(layout.name(), written, bytes.get());
        return written;
    }

    private static long write(Tx tx, String table, List<String> columns, InputStream rows)
            throws IOException {
        try {
            return TransferStore.write(tx, table, columns, rows);
        } catch (DbException e) {
            if (e.failure() != DbFailure.BAD_ROW) {
                throw e;
            }
            throw new DataFileException(
                    "The table "
                            + table
                            + " cannot hold a row of the file: a version older than the file's"
                            + " wrote the row, or the file was made by another program. Delete"
                            + " such rows, and export again.");
        }
    }

    private InputStream counted(InputStream rows, TableLayout layout, AtomicLong bytes) {
        return new FilterInputStream(rows) {
            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                int read = super.read(target, offset, length);
                if (read > 0) {
                    progress.moved(layout.name(), bytes.addAndGet(read));
                }
                return read;
            }
        };
    }
}
