package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.postgres.EmbeddedPostgres;
import dev.sluice.testkit.TestPostgres;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Tests that Ctrl-C on a command that works on the database leaves nothing behind.
class InterruptedCommandTest {

    private static final int INTERRUPTED = 130;

    @TempDir private Path folder;

    @Test
    void an_export_that_is_interrupted_leaves_no_part_of_the_file() throws Exception {
        var database = TestPostgres.newDatabase();
        Map<String, String> settings =
                Map.of(
                        "SLUICE_DATABASE_URL",
                        TestPostgres.url(database),
                        "SLUICE_MASTER_KEY",
                        RunningSluice.MASTER_KEY,
                        "SLUICE_DATA_DIR",
                        folder.resolve("data").toString());
        try (var db = TestPostgres.open(database)) {
            db.run(tx -> {
                tx.update("lock table source in access exclusive mode");
                var export = start(settings, "export-data", folder.resolve("all").toString());
                Awaitility.await().until(() -> !filesIn(folder).isEmpty());

                assertThat(interrupted(export)).isEqualTo(INTERRUPTED);
            });
        }

        assertThat(filesIn(folder)).isEmpty();
        assertThat(errors()).doesNotContain("The export failed");
    }

    @Test
    void an_export_that_is_interrupted_stops_the_database_that_it_started() throws Exception {
        var data = Files.createDirectory(folder.resolve("data"));
        var embedded = Map.of("SLUICE_DATABASE_URL", "", "SLUICE_MASTER_KEY", "");
        try (var sluice = RunningSluice.start(data, InstantSource.system(), embedded)) {
            String path = sluice.api().source("Shop").text("ingest_path");
            // More than a pipe holds, so that the export waits for its reader.
            sluice.api().ingest(path, "a".repeat(400_000));
        }
        var export = start(Map.of("SLUICE_DATA_DIR", data.toString()), "export-data", "-");
        assertThat(export.getInputStream().read()).as(errors()).isNotNegative();
        var postgres = DataDirectory.postgresDirectory(data);
        assertThat(EmbeddedPostgres.findRunning(postgres)).isPresent();

        assertThat(interrupted(export)).isEqualTo(INTERRUPTED);

        assertThat(EmbeddedPostgres.findRunning(postgres)).isEmpty();
        assertThat(errors()).doesNotContain("The export failed");
    }

    private Process start(Map<String, String> settings, String... arguments) {
        var command =
                new ArrayList<>(
                        List.of(
                                // In the background of a shell, SIGINT may be ignored.
                                "env",
                                "--default-signal=INT",
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1", // the process lives for seconds
                                "-cp",
                                System.getProperty("java.class.path"),
                                "-Dlogback.configurationFile=logback.xml",
                                "dev.sluice.Main"));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectError(folder.resolve("err.log").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        builder.environment().putAll(settings);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Sends SIGINT and returns the exit status.
    private static int interrupted(Process process) {
        try {
            new ProcessBuilder("kill", "-INT", "" + process.pid()).start().waitFor();
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).as("it ends").isTrue();
            return process.exitValue();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            process.destroyForcibly();
        }
    }

    private String errors() throws IOException {
        return Files.readString(folder.resolve("err.log"));
    }

    /// The names of exported files and their parts.
    private static List<String> filesIn(Path folder) {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("all"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
