package dev.sluice.platform.db;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

import java.sql.SQLException;

import javax.sql.DataSource;

/// Checks that the PostgreSQL server is suitable, and brings the schema up to date with the
/// numbered SQL files in `db/`. There are no downgrades.
public final class SchemaMigrator {

    private static final int MIN_SERVER_VERSION = 150_000;

    private SchemaMigrator() {}

    /// Applies the files that have not been applied yet. Several processes may call this at once:
    /// they run one after another.
    ///
    /// @throws DbException when the server cannot be reached, is too old, or runs with `fsync` off
    public static void run(Database database) {
        var source = new org.postgresql.ds.PGSimpleDataSource();
        source.setUrl(database.jdbcUrl());
        source.setUser(database.user());
        source.setPassword(database.password().reveal());
        checkServer(source);
        try {
            Flyway.configure(SchemaMigrator.class.getClassLoader())
                    .dataSource(source)
                    .locations("classpath:db")
                    .schemas(Database.SCHEMA)
                    .defaultSchema(Database.SCHEMA)
                    .createSchemas(true)
                    .cleanDisabled(true)
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw new DbException("its schema could not be brought up to date: " + e.getMessage());
        }
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
