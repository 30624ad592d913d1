package dev.sluice;

import static dev.sluice.DataTransferRun.exporting;
import static dev.sluice.DataTransferRun.importing;
import static dev.sluice.DataTransferRun.typing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;

/// Tests `sluice export-data` and `sluice import-data` with the embedded PostgreSQL.
@Nightly
class EmbeddedTransferTest {

    private static final String PASSPHRASE = "from one to another";

    @TempDir private Path folder;

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    private static void assertDone(DataTransferRun run) {
        assertThat(run.status()).as(run.err()).isZero();
    }

    @Test
    void an_installation_moves_from_an_embedded_database_to_another() throws Exception {
        var from = Files.createDirectory(folder.resolve("from"));
        var fromSettings = Map.of("SLUICE_DATA_DIR", from.toString());
        var embedded = Map.of("SLUICE_DATABASE_URL", "", "SLUICE_MASTER_KEY", "");
        try (var sluice = RunningSluice.start(from, InstantSource.system(), embedded)) {
            sluice.api().source("Shop");
            assertDone(exporting(fromSettings, typing(PASSPHRASE), file("beside"), "--passphrase"));
            var busy = importing(fromSettings, file("beside"), "--passphrase-file", secret());
            assertThat(busy.status()).isEqualTo(2);
            assertThat(busy.err()).contains("Another Sluice process uses the data directory");
        }
        assertDone(exporting(fromSettings, file("without")));

        // To an external database, with the master key of the data directory.
        var external = TestPostgres.newDatabase();
        String key = Files.readString(from.resolve("master.key")).strip();
        var toExternal =
                Map.of("SLUICE_DATABASE_URL", TestPostgres.url(external), "SLUICE_MASTER_KEY", key);
        assertDone(importing(toExternal, file("without")));
        try (var db = TestPostgres.open(external)) {
            String name =
                    db.call(tx -> tx.single("select name from source", row -> row.text("name")));
            assertThat(name).isEqualTo("Shop");
        }

        // And to another embedded one, which gets a master key of its own.
        var to = folder.resolve("to");
        var toSettings = Map.of("SLUICE_DATA_DIR", to.toString());
        var withoutKey = importing(toSettings, file("without"));
        assertThat(withoutKey.status()).isEqualTo(1);
        assertThat(withoutKey.err()).contains("There is no master key");
        assertThat(to).doesNotExist();
        byte[] newer =
                DataTransferTest.altered(
                        Files.readAllBytes(folder.resolve("beside")),
                        "\"schema_version\":",
                        "\"schema_version\":9");
        Files.write(folder.resolve("newer"), newer);
        var refused = importing(toSettings, file("newer"), "--passphrase-file", secret());
        assertThat(refused.status()).as(refused.err()).isEqualTo(1);
        assertThat(to.resolve("master.key")).as("nothing was decided yet").doesNotExist();
        assertDone(importing(toSettings, file("beside"), "--passphrase-file", secret()));
        assertThat(Files.readString(to.resolve("master.key")).strip()).isNotEqualTo(key);
        try (var sluice = RunningSluice.start(to, InstantSource.system(), embedded)) {
            var sources = sluice.api().get("/api/v1/sources");
            assertThat(sources.status()).as("the old API key").isEqualTo(200);
            assertThat(sources.json().path("items").get(0).path("name").asString())
                    .isEqualTo("Shop");
        }
    }

    private String secret() throws Exception {
        return Files.writeString(folder.resolve("secret"), PASSPHRASE).toString();
    }
}
