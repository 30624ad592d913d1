package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.config.Settings;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.postgres.EmbeddedPostgres;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.TestCluster;

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

/// `sluice audit`, with the exit status that scripts go by.
class AuditCommandTest {

    private static final String CLEAN =
            """
              ok        every delivery that was made stands somewhere
              ok        no delivery stands in two places
              ok        no delivery stands without an event that made it
              ok        the usage sums agree with the rows
            """;

    private record Ended(int status, String out, String err) {}

    @TempDir private Path dataDir;

    @Test
    void beside_a_running_server_and_without_one_the_embedded_database_is_checked()
            throws Exception {
        Ended sound;
        try (var receiver = Receiver.start();
                var sluice =
                        RunningSluice.start(
                                dataDir,
                                InstantSource.system(),
                                Map.of("SLUICE_DATABASE_URL", ""))) {
            var event = someEvent(sluice, receiver);
            sound = process(dataDir);
            lose(event);
        }

        var damaged = process(dataDir);

        assertThat(sound.status).as(sound.err).isEqualTo(0);
        assertThat(sound.out).isEqualTo("Checked 1 events and 1 deliveries.\n" + CLEAN);
        assertThat(damaged.status).as(damaged.err).isEqualTo(1);
        assertThat(damaged.out)
                .startsWith("Checked 1 events and 0 deliveries.\n")
                .contains("  violated  every delivery that was made stands somewhere: 1\n")
                .contains("001 stands neither in work nor in history\n")
                .contains("  ok        no delivery stands in two places\n")
                .contains("Nothing was changed.");
        assertThat(EmbeddedPostgres.runningIn(dataDir.resolve("postgres")))
                .as("stopped again")
                .isEmpty();
    }

    /// A source, a destination, and a webhook that takes its time to arrive.
    private static UUID someEvent(RunningSluice sluice, Receiver receiver) throws IOException {
        var api = sluice.api();
        var source = api.source("s");
        api.connect(source, api.destination(receiver.url(), ""));
        return UUID.fromString(api.ingest(source.text("ingest_path"), "{}").text("request_id"));
    }

    /// Deletes the event's delivery behind the server's back.
    private void lose(UUID event) {
        var address = EmbeddedPostgres.runningIn(dataDir.resolve("postgres")).orElseThrow();
        var database =
                new Database(
                        address.host(),
                        address.port(),
                        address.database(),
                        address.user(),
                        address.password(),
                        "");
        try (var db = TestCluster.open(database)) {
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
        var ended =
                inside(Map.of("SLUICE_DATABASE_URL", TestCluster.url(TestCluster.newDatabase())));

        assertThat(ended)
                .isEqualTo(new Ended(0, "Checked 0 events and 0 deliveries.\n" + CLEAN, ""));
    }

    @Test
    void a_database_that_cannot_be_reached_is_no_violation() {
        var ended =
                inside(
                        Map.of(
                                "SLUICE_DATABASE_URL",
                                "postgresql://nobody:secret@127.0.0.1:1/none"));

        assertThat(ended.status).isEqualTo(2);
        assertThat(ended.out).isEmpty();
        assertThat(ended.err).startsWith("The audit could not run: ").doesNotContain("secret");
    }

    @Test
    void a_database_without_our_tables_is_refused() {
        var database = TestCluster.newDatabase();
        try (var db = TestCluster.open(database)) {
            db.run(tx -> tx.update("drop schema sluice cascade"));
        }

        var ended = inside(Map.of("SLUICE_DATABASE_URL", TestCluster.url(database)));

        assertThat(ended.status).isEqualTo(2);
        assertThat(ended.err).contains("holds no tables of Sluice");
    }

    @Test
    void where_there_is_no_data_none_is_made() {
        var nowhere = dataDir.resolve("nowhere");

        var ended = inside(Map.of("SLUICE_DATA_DIR", nowhere.toString()));

        assertThat(ended.status).isEqualTo(2);
        assertThat(ended.err)
                .isEqualTo(
                        "The audit could not run: there is no database in "
                                + nowhere.resolve("postgres")
                                + ". Run it with the settings that the server runs with.\n");
        assertThat(nowhere).doesNotExist();
    }

    @Test
    void a_server_whose_database_is_not_ready_is_waited_for_by_the_caller() throws IOException {
        Files.createDirectories(dataDir.resolve("postgres/cluster"));
        try (var _ = DataDirectory.open(dataDir)) {
            var ended = inside(Map.of("SLUICE_DATA_DIR", dataDir.toString()));

            assertThat(ended.status).isEqualTo(2);
            assertThat(ended.err).contains("its database is not ready");
        }
    }

    /// In this JVM.
    private static Ended inside(Map<String, String> settings) {
        var named = new HashMap<>(settings);
        named.put("SLUICE_MASTER_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int status = AuditCommand.run(Config.read(new Settings(named)), print(out), print(err));
        return new Ended(
                status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private static PrintStream print(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    /// As a process of its own.
    private static Ended process(Path dataDir) throws IOException, InterruptedException {
        var builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Dlogback.configurationFile=logback.xml", // that of tests prints
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
            return new Ended(process.exitValue(), out, Files.readString(err));
        } finally {
            Files.delete(err);
        }
    }
}
