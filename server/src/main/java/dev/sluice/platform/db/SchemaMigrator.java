package dev.sluice.platform.db;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationVersion;
import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.util.Arrays;

import javax.sql.DataSource;

/// Checks that the PostgreSQL server is suitable, and brings the schema up to date with the
/// migrations, which are the numbered SQL files in `db/`. The first of them makes the whole schema.
/// There are no downgrades, and a schema that other files made is never changed.
public final class SchemaMigrator {

    private static final int MIN_SERVER_VERSION = 150_000;

    /// Why a database with a [SchemaVersion#isForeign] schema is refused, and how its content is
    /// carried over.
    public static final String CARRY_OVER =
            "an earlier version of Sluice made its tables, and this version cannot bring them up to"
                    + " date; run export-data with the version before this one, then import-data"
                    + " with this one into a new database or data directory";

    private SchemaMigrator() {}

    /// Applies the migrations that have not been applied yet. If several processes call this at
    /// once, they run one after another.
    ///
    /// @throws DbException if the server cannot be reached, is too old, or runs with `fsync` off.
    ///   It is also thrown if the schema is foreign or newer than this program, or if a migration
    ///   cannot be applied
    public static void run(Database database) {
        requireKnown(version(database));
        migrate(database, MigrationVersion.LATEST);
    }

    /// Like [#run(Database)], but applies only the migrations up to and including the one with the
    /// number `version`.
    public static void run(Database database, int version) {
        requireKnown(version(database));
        migrate(database, MigrationVersion.fromVersion(Integer.toString(version)));
    }

    private static void migrate(Database database, MigrationVersion target) {
        var source = source(database);
        checkServer(source);
        try {
            flyway(source, target).migrate();
        } catch (FlywayException e) {
            throw new DbException("its schema could not be brought up to date: " + e.getMessage());
        }
    }

    /// Refuses a database whose schema is foreign or newer than this program. This version would
    /// misread its rows.
    private static void requireKnown(SchemaVersion version) {
        if (version.isForeign()) {
            throw new DbException(CARRY_OVER);
        }
        if (version.applied() > version.newest()) {
            throw new DbException(
                    "a newer version of Sluice has used it: its schema has version "
                            + version.applied()
                            + ", and this program knows only versions up to "
                            + version.newest()
                            + "; start a version that is at least as new");
        }
    }

    /// The number of the newest migration applied to a database, and the number of the newest
    /// migration in this version of the program.
    ///
    /// @param applied 0 if no migration has been applied
    /// @param isForeign whether a migration was applied that this program has with another content,
    ///   or that is missing in it although it has newer ones
    public record SchemaVersion(int applied, int newest, boolean isForeign) {}

    /// Returns a database's schema version. Does not change the database.
    ///
    /// @throws DbException if the server cannot be reached, is too old, or runs with `fsync` off
    public static SchemaVersion version(Database database) {
        var source = source(database);
        checkServer(source);
        try {
            var files = flyway(source, MigrationVersion.LATEST).info();
            int newest =
                    Arrays.stream(files.all())
                            .filter(file -> file.getState().isResolved())
                            .mapToInt(SchemaMigrator::number)
                            .max()
                            .orElseThrow();
            int applied =
                    Arrays.stream(files.applied()).mapToInt(SchemaMigrator::number).max().orElse(0);
            boolean isForeign =
                    Arrays.stream(files.applied()).anyMatch(file -> isForeign(file, newest));
            return new SchemaVersion(applied, newest, isForeign);
        } catch (FlywayException e) {
            throw new DbException("its schema cannot be read: " + e.getMessage());
        }
    }

    private static boolean isForeign(MigrationInfo applied, int newest) {
        if (applied.getVersion() == null) {
            return false;
        }
        return applied.getState().isResolved()
                ? !applied.isChecksumMatching()
                : number(applied) <= newest;
    }

    /// Returns the number of a migration. Returns 0 for an entry without a number, such as the
    /// creation of the schema.
    private static int number(MigrationInfo file) {
        @Nullable MigrationVersion version = file.getVersion();
        return version == null ? 0 : Integer.parseInt(version.getVersion());
    }

    private static DataSource source(Database database) {
        var source = new org.postgresql.ds.PGSimpleDataSource();
        source.setUrl(database.jdbcUrl());
        source.setUser(database.user());
        source.setPassword(database.password().reveal());
        return source;
    }

    private static Flyway flyway(DataSource source, MigrationVersion target) {
        return Flyway.configure(SchemaMigrator.class.getClassLoader())
                .dataSource(source)
                .locations("classpath:db")
                .schemas(Database.SCHEMA)
                .defaultSchema(Database.SCHEMA)
                .createSchemas(true)
                .cleanDisabled(true)
                .target(target)
                .load();
    }

    private static void checkServer(DataSource source) {
        try (var connection = source.getConnection();
                var statement = connection.createStatement();
                var result =
                        statement.executeQuery(
                                """
                                select current_setting('server_version_num')::int as version,
                                       current_setting('fsync')::bool as flushes
                                """)) {
            result.next();
            if (result.getInt("version") < MIN_SERVER_VERSION) {
                throw new DbException("it must be PostgreSQL 15 or newer");
            }
            if (!result.getBoolean("flushes")) {
                throw new DbException(
                        "it runs with fsync off, so a crash can lose what it confirmed; turn fsync"
                                + " on");
            }
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }
}
