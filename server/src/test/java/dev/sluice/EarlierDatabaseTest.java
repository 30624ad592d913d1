package dev.sluice;

import static dev.sluice.DataTransferRun.exporting;
import static dev.sluice.DataTransferRun.importing;
import static dev.sluice.DataTransferRun.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.platform.config.Settings;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.SchemaMigrator;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Tests that a database whose tables other migrations made is refused, and is not changed.
class EarlierDatabaseTest {

    private static final int LAST_SCHEMA_WITH_COMPRESSION = 6;

    /// A way in which a database's history differs from the migrations of this version.
    enum OtherHistory {
        THIRTY_EIGHT_MIGRATIONS {
            @Override
            void change(Db db) {
                for (int version = 2; version <= 38; version++) {
                    apply(db, version);
                }
                changeFirst(db);
            }
        },
        A_FIRST_MIGRATION_WITH_OTHER_CONTENT {
            @Override
            void change(Db db) {
                changeFirst(db);
            }
        },
        A_FIRST_MIGRATION_THAT_IS_MISSING {
            @Override
            void change(Db db) {
                db.run(tx -> tx.update("delete from flyway_schema_history"));
                apply(db, 0);
            }
        };

        abstract void change(Db db);

        private static void changeFirst(Db db) {
            db.run(tx ->
                    tx.update(
                            """
                            update flyway_schema_history
                               set description = 'first light', script = 'V001__first_light.sql',
                                   checksum = 42
                             where version::integer = 1
                            """));
        }

        private static void apply(Db db, int version) {
            db.run(tx ->
                    tx.update(
                            """
                            insert into flyway_schema_history
                                   (installed_rank, version, description, type, script, checksum,
                                    installed_by, execution_time, success)
                            values (?, ?, 'earlier', 'SQL', 'V' || ? || '__earlier.sql', 1, 'x', 1, true)
                            """,
                            version + 100,
                            "%03d".formatted(version),
                            version));
        }

        /// Returns a database with one workspace and this history.
        Database database() {
            var database = TestPostgres.newDatabase();
            try (var db = TestPostgres.open(database)) {
                change(db);
                db.run(tx ->
                        tx.update(
                                """
                                insert into workspace (id, name, plan, created_at, updated_at, version)
                                values (gen_random_uuid(), 'Old', 'free', now(), now(), 1)
                                """));
            }
            return database;
        }
    }

    /// Returns the schema's history, its tables with their columns, and the workspace.
    private static List<String> contents(Database database) {
        try (var db = TestPostgres.open(database)) {
            return db.call(tx ->
                    tx.query(
                            """
                            select flyway_schema_history::text as line from flyway_schema_history
                             union all
                            select attrelid::regclass || '.' || attname
                              from pg_attribute
                              join pg_class on pg_class.oid = attrelid
                             where relnamespace = 'sluice'::regnamespace
                             union all
                            select workspace::text from workspace
                             order by line
                            """,
                            row -> row.text("line")));
        }
    }

    private static void assertCarriedOver(String message) {
        assertThat(message)
                .hasLineCount(1)
                .contains(" cannot be used: an earlier version of Sluice made its tables, and this")
                .contains("run export-data with the version before this one, then import-data with")
                .contains("this one into a new database or data directory");
    }

    @ParameterizedTest
    @EnumSource
    void server_does_not_start_on_tables_of_other_migrations(OtherHistory history) {
        var database = history.database();
        var before = contents(database);

        assertThatThrownBy(() -> RunningSluice.start(settings(database)).close())
                .isInstanceOf(StartupException.class)
                .satisfies(refusal -> assertCarriedOver(String.valueOf(refusal.getMessage())));

        assertThat(contents(database)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void command_does_not_run_on_tables_of_other_migrations(OtherHistory history) {
        var database = history.database();
        var before = contents(database);
        var config = Config.read(new Settings(settings(database)));

        assertThatThrownBy(() -> CommandDatabase.use(config, "audit", DatabaseAuditor::check))
                .isInstanceOf(StartupException.class)
                .satisfies(refusal -> assertCarriedOver(String.valueOf(refusal.getMessage())));

        assertThat(contents(database)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void tables_of_other_migrations_are_not_exported(OtherHistory history, @TempDir Path folder) {
        var file = folder.resolve("file");

        var run = exporting(settings(history.database()), file.toString());

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).startsWith("The export failed: the database ");
        assertCarriedOver(run.err().strip());
        assertThat(file).doesNotExist();
    }

    @Test
    void nothing_is_imported_into_empty_tables_of_other_migrations() {
        var database = OtherHistory.THIRTY_EIGHT_MIGRATIONS.database();
        try (var db = TestPostgres.open(database)) {
            db.run(tx -> tx.update("delete from workspace"));
        }
        var before = contents(database);

        var run = importing(settings(database), FormerFileTest.FILE.toString());

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .contains(
                        "The database has tables of another version of Sluice. Import into a new");
        assertThat(contents(database)).isEqualTo(before);
    }

    /// Creates a database of the version that could compress payloads, with one event.
    private static Database databaseWithEvent(Optional<Integer> encoding) {
        var database = TestPostgres.newDatabase();
        try (var db = TestPostgres.open(database)) {
            db.run(tx -> tx.update("drop schema sluice cascade"));
            SchemaMigrator.run(database, LAST_SCHEMA_WITH_COMPRESSION);
            db.run(tx -> {
                tx.update("create table event_of_all_days partition of event default");
                tx.update(
                        """
                        insert into event (id, source_id, method, verification, fanout, body_size,
                                           headers, body, encoding)
                        values (gen_random_uuid(), gen_random_uuid(), 'POST', 3, 0, 4, '', 'body', ?)
                        """,
                        encoding.orElse(null));
            });
        }
        return database;
    }

    @Test
    void server_does_not_start_on_compressed_payloads() {
        var database = databaseWithEvent(Optional.of(0));

        assertThatThrownBy(() -> RunningSluice.start(settings(database)).close())
                .isInstanceOf(StartupException.class)
                .satisfies(refusal -> assertThat(refusal.getMessage()).hasLineCount(1))
                .hasMessageContaining("it has payloads that an earlier version has compressed")
                .hasMessageContaining(
                        "with SLUICE_PAYLOAD_COMPRESSION=off until they have expired");

        assertThat(SchemaMigrator.version(database).applied())
                .isEqualTo(LAST_SCHEMA_WITH_COMPRESSION);
    }

    @Test
    void schema_without_compressed_payloads_is_brought_up_to_date() throws IOException {
        var database = databaseWithEvent(Optional.empty());

        RunningSluice.start(settings(database)).close();

        var version = SchemaMigrator.version(database);
        assertThat(version.applied()).isEqualTo(version.newest());
        try (var db = TestPostgres.open(database)) {
            String body =
                    db.call(tx ->
                            tx.single(
                                    "select convert_from(body, 'UTF8') as body from event",
                                    row -> row.text("body")));
            assertThat(body).isEqualTo("body");
        }
    }

    @Test
    void schema_of_this_version_is_not_foreign() {
        var version = SchemaMigrator.version(TestPostgres.newDatabase());

        assertThat(version.isForeign()).isFalse();
        assertThat(version.applied()).isEqualTo(version.newest());
    }
}
