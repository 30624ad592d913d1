package dev.sluice;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.platform.config.Settings;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.SchemaMigrator;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.Map;

/// A database that a newer version has used is refused: its rows would be misread.
class NewerDatabaseTest {

    private static final Database database = TestPostgres.newDatabase();
    private static final int newest = SchemaMigrator.version(database).newest();

    @BeforeAll
    static void raiseSchemaVersion() {
        try (var db = TestPostgres.open(database)) {
            db.run(tx ->
                    tx.update(
                            """
                            insert into flyway_schema_history
                                   (installed_rank, version, description, type, script, checksum,
                                    installed_by, execution_time, success)
                            values (9999, '%d', 'later', 'SQL', 'V%d__later.sql', 1, 'x', 1, true)
                            """
                                    .formatted(newest + 1, newest + 1)));
        }
    }

    @Test
    void a_server_that_is_older_than_the_schema_does_not_start() {
        assertThatThrownBy(() -> RunningSluice.start(DataTransferRun.settings(database)).close())
                .isInstanceOf(StartupException.class)
                .hasMessageContaining(
                        "a newer version of Sluice has used it: its schema has version "
                                + (newest + 1)
                                + ", and this program knows only versions up to "
                                + newest);
    }

    @Test
    void a_command_that_is_older_than_the_schema_does_not_run() {
        var config =
                Config.read(
                        new Settings(
                                Map.of(
                                        "SLUICE_DATABASE_URL",
                                        TestPostgres.url(database),
                                        "SLUICE_MASTER_KEY",
                                        RunningSluice.MASTER_KEY)));

        assertThatThrownBy(() -> CommandDatabase.use(config, "audit", DatabaseAuditor::check))
                .isInstanceOf(StartupException.class)
                .hasMessageEndingWith(
                        "has tables of a newer version of Sluice. Run the command of that"
                                + " version.");
    }
}
