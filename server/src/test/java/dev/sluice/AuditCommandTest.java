package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.config.Settings;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.postgres.EmbeddedPostgres;
import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/// Tests `sluice audit` and the exit status that scripts rely on.
class AuditCommandTest {

    private static final String CLEAN_REPORT =
            """
              ok        every delivery that was made is stored
              ok        no delivery is stored twice
              ok        every delivery belongs to a stored event
              ok        the usage counts match the rows
              ok        everything stored can be read
            """;

    private record AuditRun(int status, String out, String err) {}

    @TempDir private Path dataDir;

    @Nightly
    @Test
    void beside_a_running_server_and_without_one_the_embedded_database_is_checked()
            throws Exception {
        AuditRun sound;
        try (var receiver = Receiver.start();
                var sluice =
                        RunningSluice.start(
                                dataDir,
                                InstantSource.system(),
                                Map.of("SLUICE_DATABASE_URL", ""))) {
            var event = someEvent(sluice, receiver);
            sound = runProcess(dataDir);
            deleteDelivery(event);
        }

        var damaged = runProcess(dataDir);

        assertThat(sound.status).as(sound.err).isEqualTo(0);
        assertThat(sound.out).isEqualTo("Checked 1 events and 1 deliveries.\n" + CLEAN_REPORT);
        assertThat(damaged.status).as(damaged.err).isEqualTo(1);
        assertThat(damaged.out)
                .startsWith("Checked 1 events and 0 deliveries.\n")
                .contains("  violated  every delivery that was made is stored: 1\n")
                .contains("001 is in neither work nor history\n")
                .contains("  ok        no delivery is stored twice\n")
                .contains("Nothing was changed.");
        assertThat(EmbeddedPostgres.findRunning(dataDir.resolve("postgres")))
                .as("stopped again")
                .isEmpty();
    }

    /// Makes a connection to the receiver and ingests one event. Returns the event's id.
    private static UUID someEvent(RunningSluice sluice, Receiver receiver) throws IOException {
        var api = sluice.api();
        var source = api.source("s");
        api.connect(source, api.destination(receiver.url(), ""));
        return UUID.fromString(api.ingest(source.text("ingest_path"), "{}").text("request_id"));
    }

    /// Deletes the event's delivery without the server's knowledge.
    private void deleteDelivery(UUID event) {
        var address = EmbeddedPostgres.findRunning(dataDir.resolve("postgres")).orElseThrow();
        var database =
                new Database(
                        address.host(),
                        address.port(),
                        address.database(),
                        address.user(),
                        address.password(),
                        "");
        try (var db = TestPostgres.open(database)) {
            await().untilAsserted(() -> assertThat(finished(db)).isEqualTo(1));
            db.run(tx -> tx.update("delete from delivery where id > ?", event));
        }
    }

    private static long finished(Db db) {
        return db.call(
                tx -> tx.single("select count(*) as n from delivery", row -> row.number("n")));
    }

    @Test
    void an_external_database_is_checked() {
        var run =
                runInJvm(
                        Map.of(
                                "SLUICE_DATABASE_URL",
                                TestPostgres.url(TestPostgres.newDatabase())));

        assertThat(run)
                .isEqualTo(
                        new AuditRun(0, "Checked 0 events and 0 deliveries.\n" + CLEAN_REPORT, ""));
    }

    @Test
    void a_database_that_cannot_be_reached_is_no_violation() {
        var run =
                runInJvm(
                        Map.of(
                                "SLUICE_DATABASE_URL",
                                "postgresql://nobody:secret@127.0.0.1:1/none"));

        assertThat(run.status).isEqualTo(2);
        assertThat(run.out).isEmpty();
        assertThat(run.err).startsWith("The audit could not run: ").doesNotContain("secret");
    }

    @Test
    void a_database_without_our_tables_is_refused() {
        var database = TestPostgres.newDatabase();
        try (var db = TestPostgres.open(database)) {
            db.run(tx -> tx.update("drop schema sluice cascade"));
        }

        var run = runInJvm(Map.of("SLUICE_DATABASE_URL", TestPostgres.url(database)));

        assertThat(run.status).isEqualTo(2);
        assertThat(run.err).contains("has no Sluice tables");
    }

    @Test
    void where_there_is_no_data_none_is_made() {
        var nowhere = dataDir.resolve("nowhere");

        var run = runInJvm(Map.of("SLUICE_DATA_DIR", nowhere.toString()));

        assertThat(run.status).isEqualTo(2);
        assertThat(run.err)
                .isEqualTo(
                        "The audit could not run: there is no database in "
                                + nowhere.resolve("postgres")
                                + ". Run the audit with the settings of the server.\n");
        assertThat(nowhere).doesNotExist();
    }

    @Test
    void a_server_whose_database_is_not_ready_is_waited_for_by_the_caller() throws IOException {
        Files.createDirectories(dataDir.resolve("postgres/cluster"));
        try (var _ = DataDirectory.open(dataDir)) {
            var run = runInJvm(Map.of("SLUICE_DATA_DIR", dataDir.toString()));

            assertThat(run.status).isEqualTo(2);
            assertThat(run.err).contains("its database is not ready");
        }
    }

    /// Runs the command in this JVM.
    private static AuditRun runInJvm(Map<String, String> settings) {
        var named = new HashMap<>(settings);
        named.put("SLUICE_MASTER_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int status = AuditCommand.run(Config.read(new Settings(named)), print(out), print(err));
        return new AuditRun(
                status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private static PrintStream print(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    /// Runs the command as a separate process.
    private static AuditRun runProcess(Path dataDir) throws IOException, InterruptedException {
        var builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Dlogback.configurationFile=logback.xml", // the tests' file prints
                        "dev.sluice.Main",
                        "audit");
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        builder.environment().put("SLUICE_DATA_DIR", dataDir.toString());
        var err = Files.createTempFile("audit", ".err");
        try {
            var process = builder.redirectError(err.toFile()).start();
            String out =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(Duration.ofMinutes(2).toMillis(), TimeUnit.MILLISECONDS))
                    .isTrue();
            return new AuditRun(process.exitValue(), out, Files.readString(err));
        } finally {
            Files.delete(err);
        }
    }
}
