package dev.sluice;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.platform.db.SchemaMigrator;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;

/// A database that a newer version has used is refused: its rows would be misread.
class NewerDatabaseTest {

    @Test
    void a_server_that_is_older_than_the_schema_does_not_start() {
        var database = TestPostgres.newDatabase();
        int newest = SchemaMigrator.version(database).newest();
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

        assertThatThrownBy(() -> RunningSluice.start(DataTransferRun.settings(database)).close())
                .isInstanceOf(StartupException.class)
                .hasMessageContaining(
                        "a newer version of Sluice has used it: its schema has version "
                                + (newest + 1)
                                + ", and this program knows only versions up to "
                                + newest);
    }
}
