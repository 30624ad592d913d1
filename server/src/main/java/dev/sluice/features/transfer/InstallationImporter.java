package dev.sluice.features.transfer;

import dev.sluice.account.access.SealingCanaryStore;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.ledger.CommitLogStore;
import dev.sluice.platform.datafile.ConvertedRows;
import dev.sluice.platform.datafile.ConvertedRows.KeyChange;
import dev.sluice.platform.datafile.DataFileException;
import dev.sluice.platform.datafile.DataFileHeader;
import dev.sluice.platform.datafile.DataFileHeader.TableLayout;
import dev.sluice.platform.datafile.DataFileReader;
import dev.sluice.platform.datafile.DividedRows;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.DbFailure;
import dev.sluice.platform.db.SchemaMigrator;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// Reads a data file into an empty database.
///
/// Rows are written in one transaction, which commits only after the file's checksum has been
/// verified. A transaction cannot lock the partitions of years, so events, deliveries and attempts
/// of more than [DayRange#MAX_DAYS] days are written in further transactions, which commit earlier.
/// Nobody can see these rows until the first transaction commits, because it writes what they
/// belong to. If the import fails, it drops them; if it is killed, the next import does. In both
/// cases the import can be repeated.
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
        requireKnown(file.header());
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

    /// Checks tables and sequences as far as this is possible without the database.
    private static void requireKnown(DataFileHeader header) {
        if (!header.tables().stream()
                .allMatch(table ->
                        InstallationTables.isExported(table) || FormerSchema.isDropped(table))) {
            throw unknownContent();
        }
        header.sequences()
                .forEach((name, last) -> {
                    long max =
                            InstallationTables.SEQUENCES.getOrDefault(
                                    name, FormerSchema.DROPPED_SEQUENCES.getOrDefault(name, 0L));
                    if (max == 0) {
                        throw unknownContent();
                    }
                    if (last < 1 || last > max) {
                        throw new DataFileException(
                                "The file lets the sequence "
                                        + name
                                        + " go on after "
                                        + last
                                        + ", which no installation reaches. Name a file that"
                                        + " export-data wrote.");
                    }
                });
    }

    /// Does not look into partitioned tables. Without the rows of other tables, what they have is
    /// left over from an import that was killed. Looking would also lock each of their partitions.
    private void requireEmpty(Tx tx, Map<String, List<String>> columns) {
        for (String table : columns.keySet()) {
            if (!InstallationTables.SEEDED.contains(table)
                    && !PartitionStore.PARTITIONED_TABLES.contains(table)
                    && TransferQueries.hasRows(tx, table)) {
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
        TransferSummary summary;
        try (var db = open();
                var history = open()) {
            boolean isNew = !db.call(TransferQueries::hasSchema);
            SchemaMigrator.run(database, FormerSchema.migration(file));
            var change = new KeyChange(secrets, master, unreadable::incrementAndGet);
            try {
                summary = db.call(tx -> readOrThrow(tx, history, file, change));
            } catch (RuntimeException e) {
                removeRemains(db, history, isNew, e);
                throw e;
            }
        }
        try {
            SchemaMigrator.run(database);
        } catch (DbException e) {
            return summary.withMigrationFailure(String.valueOf(e.getMessage()));
        }
        return summary;
    }

    private TransferSummary readOrThrow(Tx tx, Db history, DataFileReader file, KeyChange change) {
        try {
            return read(tx, history, file, change);
        } catch (IOException e) {
            throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
        }
    }

    /// Removes what a failed import committed, unless the database is in use: the partitions, and
    /// the schema if the import created it. A schema of the file's version would keep out a file of
    /// another version. If this fails as well, the next import drops the partitions.
    private void removeRemains(Db db, Db history, boolean isNew, RuntimeException failure) {
        try {
            db.run(tx -> {
                begin(tx, history);
                if (isNew) {
                    TransferStore.dropSchema(tx);
                }
            });
        } catch (DbException | DataFileException e) {
            failure.addSuppressed(e);
        }
    }

    /// Keeps servers and other imports out until the transaction ends, and drops all partitions.
    ///
    /// @throws DataFileException if the database is not empty
    private Map<String, List<String>> begin(Tx tx, Db history) {
        TransferQueries.liftTimeLimits(tx);
        TransferStore.lockDatabase(tx);
        var columns = TransferQueries.columns(tx);
        requireEmpty(tx, columns);
        new PartitionStore(history).dropAllAlone();
        return columns;
    }

    private Db open() {
        return Db.open(database, "import-data", 1, SILENCE_TIMEOUT);
    }

    /// @param history the database again, for transactions beside `tx`. They use only partitioned
    ///   tables, which `tx` does not lock against them
    private TransferSummary read(Tx tx, Db history, DataFileReader file, KeyChange change)
            throws IOException {
        var columns = begin(tx, history);
        var layouts = new HashMap<String, TableLayout>();
        file.header().tables().forEach(table -> layouts.put(table.name(), known(table, columns)));
        new PartitionStore(history).makeAlone(file.header().days());
        var summary = TransferSummary.NONE;
        for (var name = file.nextTable(); name.isPresent(); name = file.nextTable()) {
            var layout =
                    Optional.ofNullable(layouts.remove(name.get()))
                            .orElseThrow(InstallationImporter::unknownContent);
            summary = summary.plus(layout.name(), readTable(tx, history, file, layout, change));
        }
        file.end();
        if (!layouts.isEmpty()) {
            throw unknownContent();
        }
        if (!TransferQueries.isUsable(tx)) {
            throw new DataFileException(
                    "The file has rows with which no server could start. Name a file that"
                            + " export-data wrote.");
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
    private static TableLayout known(TableLayout layout, Map<String, List<String>> columns) {
        if (!columns.getOrDefault(layout.name(), List.of())
                        .containsAll(FormerSchema.keptColumns(layout))
                || !layout.columns().containsAll(layout.sealed().keySet())) {
            throw unknownContent();
        }
        return layout;
    }

    private static DataFileException unknownContent() {
        return new DataFileException(
                "The file has other tables than its version of Sluice. It was made by another"
                        + " program. Name one that export-data wrote.");
    }

    private long readTable(
            Tx tx, Db history, DataFileReader file, TableLayout layout, KeyChange change)
            throws IOException {
        if (layout.isSeeded()) {
            TransferStore.clear(tx, layout);
        }
        var bytes = new AtomicLong();
        InputStream rows = counted(file.rows(), layout, bytes);
        var kept = FormerSchema.keptColumns(layout);
        var dropped = FormerSchema.droppedColumns(layout);
        boolean isResealed = change.from() != change.to() && !layout.sealed().isEmpty();
        if (isResealed || !dropped.isEmpty()) {
            var newKey = isResealed ? Optional.of(change) : Optional.<KeyChange>empty();
            rows = new ConvertedRows(rows, layout, dropped, newKey);
        }
        long written =
                PartitionStore.PARTITIONED_TABLES.contains(layout.name())
                        ? writeDays(tx, history, layout.name(), kept, rows)
                        : write(tx, layout.name(), kept, rows);
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

    /// Writes the rows of the first days in `tx`, and all others in transactions of their own.
    private static long writeDays(
            Tx tx, Db history, String table, List<String> columns, InputStream in)
            throws IOException {
        var rows =
                new DividedRows(
                        in,
                        columns.indexOf(PartitionStore.keyColumn(table)),
                        columns.size(),
                        PartitionStore::dayOf,
                        DayRange.MAX_DAYS);
        long written = write(tx, table, columns, rows.next());
        while (rows.hasNext()) {
            written +=
                    history.call(own -> {
                        try {
                            return write(own, table, columns, rows.next());
                        } catch (IOException e) {
                            throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
                        }
                    });
        }
        return written;
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
