package dev.sluice.features.transfer;

import dev.sluice.account.access.SealingCanaryStore;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.platform.datafile.ConvertedRows;
import dev.sluice.platform.datafile.ConvertedRows.KeyChange;
import dev.sluice.platform.datafile.DataFileException;
import dev.sluice.platform.datafile.DataFileHeader;
import dev.sluice.platform.datafile.DataFileHeader.PassphraseParameters;
import dev.sluice.platform.datafile.DataFileHeader.TableLayout;
import dev.sluice.platform.datafile.DataFileWriter;
import dev.sluice.platform.datafile.JoinedRows;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// Writes an installation to a data file, from one snapshot of its database. Servers may keep
/// running during the export.
public final class InstallationExporter {

    /// The inputs needed to seal the file's secrets with a passphrase.
    ///
    /// @param master the sealer that opens the secrets in the database
    public record PassphraseSeal(Sealer master, Secret passphrase, SecretGenerator random) {}

    /// Describes how the file's secrets are sealed.
    ///
    /// @param parameters the parameters for deriving the key from the passphrase; empty if the file
    ///   has no passphrase
    /// @param canary a value sealed with the file's key, in Base64; an import uses the canary to
    ///   check that it has the right key
    /// @param change re-seals the secrets with the file's key; empty if the secrets are written as
    ///   they are in the database
    private record FileSeal(
            Optional<PassphraseParameters> parameters, String canary, Optional<KeyChange> change) {

        FileSeal(
                Optional<PassphraseParameters> parameters,
                byte[] canary,
                Optional<KeyChange> change) {
            this(parameters, Base64.getEncoder().encodeToString(canary), change);
        }
    }

    private final String version;
    private final int schemaVersion;
    private final Optional<PassphraseSeal> passphrase;
    private final TransferProgress progress;
    private final AtomicLong unreadable = new AtomicLong();

    /// @param version the version of this program
    /// @param schemaVersion the number of the newest migration applied to the database
    /// @param passphrase the passphrase that seals the secrets; empty to leave them sealed with the
    ///   master key
    public InstallationExporter(
            String version,
            int schemaVersion,
            Optional<PassphraseSeal> passphrase,
            TransferProgress progress) {
        this.version = version;
        this.schemaVersion = schemaVersion;
        this.passphrase = passphrase;
        this.progress = progress;
    }

    /// Writes the file to `out`.
    ///
    /// @throws DataFileException if the database has no installation, or if its secrets were not
    ///   sealed with the given master key
    /// @throws UncheckedIOException if the file cannot be written
    public TransferSummary write(Db db, OutputStream out) {
        return db.snapshot(tx -> {
            try {
                return write(tx, db, out);
            } catch (IOException e) {
                throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
            }
        });
    }

    private TransferSummary write(Tx tx, Db db, OutputStream out) throws IOException {
        TransferQueries.liftTimeLimits(tx);
        // The tables are locked before the first query takes the snapshot, so that all rows in the
        // snapshot stay readable until the end.
        TransferQueries.keep(
                tx, InstallationTables.EXPORTED.stream().map(ExportedTable::name).toList());
        var seal = seal(tx);
        var columns = TransferQueries.columns(tx);
        var header = header(tx, seal, columns);
        var file = new DataFileWriter(out, header);
        var ranges = DayRange.of(header.days());
        String snapshot = TransferQueries.snapshotId(tx);
        var summary = TransferSummary.NONE;
        for (var table : InstallationTables.EXPORTED) {
            var layout = table.layout(columnsOf(table, columns));
            file.beginTable(layout.name());
            long rows =
                    PartitionStore.PARTITIONED_TABLES.contains(table.name())
                            ? writeDays(db, snapshot, ranges, file, layout, table)
                            : write(tx, file, layout, table, seal);
            file.endTable(rows);
            summary = summary.plus(table.name(), rows);
        }
        file.finish();
        return summary.withUnreadable(unreadable.get());
    }

    private static List<String> columnsOf(ExportedTable table, Map<String, List<String>> columns) {
        return columns.getOrDefault(table.name(), List.of());
    }

    private FileSeal seal(Tx tx) {
        byte[] stored =
                SealingCanaryStore.find(tx)
                        .orElseThrow(() ->
                                new DataFileException(
                                        "The database has no installation: no server has used it"
                                                + " yet."));
        return passphrase
                .map(given -> seal(given, stored))
                .orElse(new FileSeal(Optional.empty(), stored, Optional.empty()));
    }

    private FileSeal seal(PassphraseSeal given, byte[] stored) {
        if (!SealingCanaryStore.isSealedBy(given.master(), stored)) {
            throw new DataFileException(
                    "The secrets in the database were sealed with another master key. Run"
                            + " export-data with the settings of the server.");
        }
        var parameters = FilePassphrase.newParameters(given.random());
        var sealer = FilePassphrase.sealer(given.passphrase(), parameters, given.random());
        return new FileSeal(
                Optional.of(parameters),
                SealingCanaryStore.seal(sealer),
                Optional.of(new KeyChange(given.master(), sealer, unreadable::incrementAndGet)));
    }

    private DataFileHeader header(Tx tx, FileSeal seal, Map<String, List<String>> columns) {
        var origin = TransferQueries.origin(tx);
        return new DataFileHeader(
                new DataFileHeader.FileOrigin(
                        origin.time(), version, schemaVersion, origin.database()),
                seal.parameters(),
                seal.canary(),
                List.copyOf(PartitionStore.attachedDays(tx)),
                TransferQueries.sequences(tx),
                InstallationTables.EXPORTED.stream()
                        .map(table -> table.layout(columnsOf(table, columns)))
                        .toList());
    }

    private long write(
            Tx tx, DataFileWriter file, TableLayout layout, ExportedTable table, FileSeal seal)
            throws IOException {
        var bytes = new AtomicLong();
        long rows =
                TransferQueries.read(
                        tx,
                        table,
                        layout.columns(),
                        "true",
                        stream ->
                                file.rows(
                                        resealed(stream, layout, seal),
                                        piece ->
                                                progress.moved(
                                                        layout.name(), bytes.addAndGet(piece))));
        progress.finished(layout.name(), rows, bytes.get());
        return rows;
    }

    /// Writes a partitioned table, each range of days in a transaction of its own, because a
    /// transaction can lock only some thousand partitions and indexes. All see the same snapshot.
    private long writeDays(
            Db db,
            String snapshot,
            List<DayRange> ranges,
            DataFileWriter file,
            TableLayout layout,
            ExportedTable table) {
        var bytes = new AtomicLong();
        String key = PartitionStore.keyColumn(table.name());
        long rows = 0;
        for (var range : ranges) {
            rows +=
                    db.call(tx -> {
                        TransferQueries.joinSnapshot(tx, snapshot);
                        try {
                            return TransferQueries.read(
                                    tx,
                                    table,
                                    layout.columns(),
                                    range.condition(key),
                                    stream ->
                                            file.rows(
                                                    new JoinedRows(
                                                            stream,
                                                            range.isFirst(),
                                                            range.isLast()),
                                                    piece ->
                                                            progress.moved(
                                                                    layout.name(),
                                                                    bytes.addAndGet(piece))));
                        } catch (IOException e) {
                            throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
                        }
                    });
        }
        progress.finished(layout.name(), rows, bytes.get());
        return rows;
    }

    private static InputStream resealed(InputStream rows, TableLayout layout, FileSeal seal) {
        return seal.change().isEmpty() || layout.sealed().isEmpty()
                ? rows
                : new ConvertedRows(rows, layout, Map.of(), seal.change());
    }
}
