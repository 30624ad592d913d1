package dev.sluice;

import dev.sluice.features.transfer.InstallationImporter;
import dev.sluice.features.transfer.TransferSummary;
import dev.sluice.platform.datafile.DataFileException;
import dev.sluice.platform.datafile.DataFileHeader;
import dev.sluice.platform.datafile.DataFileReader;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The `sluice import-data FILE` command: reads a whole installation from a file into an empty
/// database.
final class ImportDataCommand {

    private static final int EXIT_DONE = 0;
    private static final int EXIT_REFUSED = 1;
    private static final int EXIT_ERROR = 2;

    private static final String USAGE =
            "Usage: sluice import-data FILE [--passphrase-file PATH]. FILE may be - for standard"
                    + " input. A passphrase is asked for if the file needs one.";

    private final Config config;
    private final PrintStream err;
    private final SecretGenerator random = new SecretGenerator();

    private ImportDataCommand(Config config, PrintStream err) {
        this.config = config;
        this.err = err;
    }

    /// Runs the command.
    ///
    /// @param config the settings of the server that will use the database
    /// @param arguments the arguments after `import-data`
    /// @param in supplies the data if FILE is `-`
    /// @return the exit status
    static int run(
            Config config,
            List<String> arguments,
            PassphraseOption.Terminal terminal,
            InputStream in,
            PrintStream err) {
        if (arguments.equals(List.of("--help"))) {
            err.println(USAGE);
            return EXIT_DONE;
        }
        var options = PassphraseOption.parse(arguments);
        if (options.isEmpty() || options.get().isAsked()) {
            err.println(USAGE);
            return EXIT_ERROR;
        }
        try {
            new ImportDataCommand(config, err).importFrom(options.get(), terminal, in);
            return EXIT_DONE;
        } catch (DataFileException e) {
            err.println(e.getMessage() + " Nothing was imported.");
            return EXIT_REFUSED;
        } catch (RuntimeException | IOException e) {
            err.println("The import failed: " + CommandFailure.reason(e));
            return EXIT_ERROR;
        }
    }

    private void importFrom(
            PassphraseOption options, PassphraseOption.Terminal terminal, InputStream in)
            throws IOException {
        if (options.isStandardStream()) {
            importFrom(DataFileReader.open(in), options, terminal);
            return;
        }
        var file = Path.of(options.file());
        if (Files.isDirectory(file)) {
            throw new StartupException(
                    file + " is a folder. Name the file that export-data wrote.");
        }
        try (var checked = Files.newInputStream(file)) {
            DataFileReader.open(checked); // throws if this is not a data file
        } catch (NoSuchFileException e) {
            throw new StartupException("there is no file " + file + ".");
        }
        err.println("Checking " + file + " ...");
        try (var checked = Files.newInputStream(file)) {
            DataFileReader.verify(checked);
        }
        try (var data = Files.newInputStream(file)) {
            importFrom(DataFileReader.open(data), options, terminal);
        }
    }

    private void importFrom(
            DataFileReader file, PassphraseOption options, PassphraseOption.Terminal terminal)
            throws IOException {
        var header = file.header();
        Optional<Secret> passphrase =
                header.passphrase().isPresent()
                        ? Optional.of(options.forExistingFile(terminal))
                        : Optional.empty();
        var known = masterKey();
        var secrets =
                InstallationImporter.openSecrets(
                        header, known.map(key -> Storage.sealer(key, random)), passphrase, random);
        var summary =
                CommandDatabase.create(
                        config,
                        (database, directory) -> {
                            var importer =
                                    new InstallationImporter(database, new TransferPrinter(err));
                            importer.requireFit(file);
                            var master =
                                    passphrase.isEmpty()
                                            ? secrets
                                            : Storage.sealer(
                                                    known.orElseGet(() -> newMasterKey(directory)),
                                                    random);
                            return importer.read(file, secrets, master);
                        });
        print(header, summary);
    }

    /// Returns the master key of the server that will use the database, or empty if that server has
    /// no key yet.
    private Optional<Secret> masterKey() throws IOException {
        return config.storage().masterKey().isPresent()
                ? config.storage().masterKey()
                : DataDirectory.storedMasterKey(config.storage().dataDir());
    }

    /// Creates the master key in the data directory, just as a server does on its first start.
    /// Called only if the import file has a passphrase and no master key exists. That can happen
    /// only with an embedded database, because an external one requires `SLUICE_MASTER_KEY`.
    private Secret newMasterKey(Optional<DataDirectory> directory) {
        try {
            return directory.orElseThrow().masterKey(random);
        } catch (IOException e) {
            throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
        }
    }

    private void print(DataFileHeader header, TransferSummary summary) {
        err.println("Imported " + summary.rows() + " rows, " + summary.events() + " events.");
        err.println(
                "The data is as of "
                        + header.origin().createdAt()
                        + ". Make sure that the server it comes from has stopped: both would send"
                        + " what waits.");
        if (summary.unreadable() > 0) {
            err.println(
                    summary.unreadable()
                            + " secrets cannot be opened. They could not be opened before the"
                            + " export either.");
        }
        summary.migrationFailure()
                .ifPresent(reason ->
                        err.println(
                                "Everything was imported. Only the last step failed: "
                                        + reason
                                        + ". The server tries it again when it starts."));
    }
}
