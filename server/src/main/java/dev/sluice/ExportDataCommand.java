package dev.sluice;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.sluice.features.transfer.InstallationExporter;
import dev.sluice.features.transfer.InstallationExporter.PassphraseSeal;
import dev.sluice.features.transfer.TransferSummary;
import dev.sluice.platform.datafile.DataFileException;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.SchemaMigrator;
import dev.sluice.platform.secret.PrivateFile;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The `sluice export-data FILE` command: writes the whole installation to a file, whether or not a
/// server is running.
final class ExportDataCommand {

    private static final int EXIT_DONE = 0;
    private static final int EXIT_REFUSED = 1;
    private static final int EXIT_ERROR = 2;

    private static final String USAGE =
            "Usage: sluice export-data FILE [--passphrase | --passphrase-file PATH]. FILE may be -"
                    + " for standard output.";

    private static final Duration STATEMENT_TIMEOUT = Duration.ofMinutes(1);
    private static final int BUFFER_BYTES = 64 * 1024;

    private ExportDataCommand() {}

    /// Runs the command.
    ///
    /// @param config the settings of the server whose installation is exported
    /// @param arguments the arguments after `export-data`
    /// @param out receives the data if FILE is `-`
    /// @return the exit status
    static int run(
            Config config,
            List<String> arguments,
            PassphraseOption.Terminal terminal,
            OutputStream out,
            PrintStream err) {
        if (arguments.equals(List.of("--help"))) {
            err.println(USAGE);
            return EXIT_DONE;
        }
        var options = PassphraseOption.parse(arguments);
        if (options.isEmpty()) {
            err.println(USAGE);
            return EXIT_ERROR;
        }
        try {
            var passphrase = options.get().forNewFile(terminal);
            var summary =
                    options.get().isStandardStream()
                            ? export(config, passphrase, out, err)
                            : export(config, passphrase, Path.of(options.get().file()), err);
            print(summary, passphrase.isPresent(), err);
            return EXIT_DONE;
        } catch (DataFileException e) {
            err.println(e.getMessage());
            return EXIT_REFUSED;
        } catch (RuntimeException | IOException e) {
            err.println("The export failed: " + CommandFailure.reason(e));
            return EXIT_ERROR;
        }
    }

    /// Writes the data to a file with a temporary name, and renames the file once all the data has
    /// been written and flushed to disk.
    private static TransferSummary export(
            Config config, Optional<Secret> passphrase, Path file, PrintStream err)
            throws IOException {
        if (Files.exists(file)) {
            throw alreadyThere(file);
        }
        // The name is random, because another export to the same file may be running.
        var part =
                file.resolveSibling(
                        file.getFileName() + "." + new SecretGenerator().base62(8) + ".part");
        try (var _ = ExitAction.of("delete-part", () -> delete(part));
                var channel = PrivateFile.open(part, Set.of(CREATE_NEW, WRITE))) {
            var out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
            var summary = export(config, passphrase, out, err);
            channel.force(true);
            moveToNew(part, file);
            err.println(file + ": " + TransferPrinter.size(channel.size()));
            return summary;
        } catch (FileAlreadyExistsException e) {
            throw alreadyThere(file);
        } catch (NoSuchFileException e) {
            throw new StartupException("there is no folder for " + file + ".");
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static void delete(Path part) {
        try {
            Files.deleteIfExists(part);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Renames `part` to `file`. An atomic move alone would overwrite a `file` that another process
    /// has created in the meantime, so this method first creates an empty `file`, which fails if
    /// `file` exists.
    private static void moveToNew(Path part, Path file) throws IOException {
        Files.createFile(file);
        try {
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    private static DataFileException alreadyThere(Path file) {
        return new DataFileException(
                "The file " + file + " already exists. Choose another name, or move it away.");
    }

    private static TransferSummary export(
            Config config, Optional<Secret> passphrase, OutputStream out, PrintStream err)
            throws IOException {
        var random = new SecretGenerator();
        var seal =
                passphrase.isEmpty()
                        ? Optional.<PassphraseSeal>empty()
                        : Optional.of(
                                new PassphraseSeal(
                                        Storage.sealer(masterKey(config), random),
                                        passphrase.get(),
                                        random));
        return CommandDatabase.find(
                config, "export-data", database -> export(database, seal, out, err));
    }

    private static Secret masterKey(Config config) throws IOException {
        var key =
                config.storage().masterKey().isPresent()
                        ? config.storage().masterKey()
                        : DataDirectory.storedMasterKey(config.storage().dataDir());
        return key.orElseThrow(() ->
                new StartupException(
                        "there is no master key. Run export-data with the settings of the"
                                + " server."));
    }

    private static TransferSummary export(
            Database database, Optional<PassphraseSeal> seal, OutputStream out, PrintStream err) {
        var version = SchemaMigrator.version(database);
        var refusal = CommandDatabase.refusal(database, version);
        if (refusal.isPresent()) {
            throw new DataFileException("The export failed: " + refusal.get());
        }
        try (var db = Db.open(database, "export-data", 2, STATEMENT_TIMEOUT)) {
            return new InstallationExporter(
                            Main.version(), version.applied(), seal, new TransferPrinter(err))
                    .write(db, out);
        }
    }

    private static void print(TransferSummary summary, boolean hasPassphrase, PrintStream err) {
        err.println("Exported " + summary.rows() + " rows, " + summary.events() + " events.");
        if (summary.unreadable() > 0) {
            err.println(
                    summary.unreadable()
                            + " secrets could not be opened before, and cannot be opened in the"
                            + " file.");
        }
        err.println(
                hasPassphrase
                        ? "Its secrets are sealed under the passphrase. Payloads are not encrypted."
                        : "Its secrets are sealed under the server's master key, which the import"
                                + " needs. Payloads are not encrypted.");
    }
}
