package dev.sluice;

import dev.sluice.platform.config.Settings;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.secret.Secret;
import dev.sluice.testkit.TestPostgres;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One run of `export-data` or `import-data` in this JVM, which has ended.
///
/// @param out standard output, one character for each byte
record DataTransferRun(int status, String out, String err) {

    /// What a person types who is asked for a passphrase; empty without a terminal.
    static final PassphraseOption.Terminal NO_TERMINAL = _ -> Optional.empty();

    static PassphraseOption.Terminal typing(String passphrase) {
        return _ -> Optional.of(new Secret(passphrase));
    }

    static Map<String, String> settings(Database database) {
        return Map.of(
                "SLUICE_DATABASE_URL",
                TestPostgres.url(database),
                "SLUICE_MASTER_KEY",
                RunningSluice.MASTER_KEY);
    }

    static DataTransferRun exporting(Map<String, String> settings, String... arguments) {
        return exporting(settings, NO_TERMINAL, arguments);
    }

    static DataTransferRun exporting(
            Map<String, String> settings, PassphraseOption.Terminal terminal, String... arguments) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int status =
                ExportDataCommand.run(
                        config(settings), Arrays.asList(arguments), terminal, out, print(err));
        return new DataTransferRun(
                status,
                out.toString(StandardCharsets.ISO_8859_1),
                err.toString(StandardCharsets.UTF_8));
    }

    /// Runs `export-data -` with this standard output.
    static DataTransferRun exportingTo(OutputStream out, Map<String, String> settings) {
        var err = new ByteArrayOutputStream();
        int status =
                ExportDataCommand.run(config(settings), List.of("-"), NO_TERMINAL, out, print(err));
        return new DataTransferRun(status, "", err.toString(StandardCharsets.UTF_8));
    }

    /// Runs `export-data`, and `meanwhile` when the export prints that it has written a table.
    static DataTransferRun exportingWhile(
            Map<String, String> settings, Runnable meanwhile, String file) {
        var err =
                new ByteArrayOutputStream() {
                    @Override
                    public synchronized void write(byte[] bytes, int from, int length) {
                        if (size() == 0) {
                            meanwhile.run();
                        }
                        super.write(bytes, from, length);
                    }
                };
        int status =
                ExportDataCommand.run(
                        config(settings),
                        List.of(file),
                        NO_TERMINAL,
                        OutputStream.nullOutputStream(),
                        print(err));
        return new DataTransferRun(status, "", err.toString(StandardCharsets.UTF_8));
    }

    static DataTransferRun importing(Map<String, String> settings, String... arguments) {
        return importing(settings, NO_TERMINAL, new ByteArrayInputStream(new byte[0]), arguments);
    }

    static DataTransferRun importing(
            Map<String, String> settings,
            PassphraseOption.Terminal terminal,
            InputStream in,
            String... arguments) {
        var err = new ByteArrayOutputStream();
        int status =
                ImportDataCommand.run(
                        config(settings), Arrays.asList(arguments), terminal, in, print(err));
        return new DataTransferRun(status, "", err.toString(StandardCharsets.UTF_8));
    }

    private static Config config(Map<String, String> settings) {
        var named = new HashMap<>(settings);
        named.putIfAbsent("SLUICE_DATA_DIR", "target/no-such-directory");
        return Config.read(new Settings(named));
    }

    private static PrintStream print(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }
}
