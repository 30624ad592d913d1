package dev.sluice.platform.db;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

import java.sql.SQLException;

import javax.sql.DataSource;

/// Brings the schema up to date: the numbered files of `db/`, forward only.
public final class Migrations {

    private static final int OLDEST_SERVER = 150_000;

    private Migrations() {}

    /// Safe to run by several processes at once: they wait for each other.
    ///
    /// @throws DbException when the server cannot be reached, is too old, or does not flush
    public static void run(Database database) {
        var source = new org.postgresql.ds.PGSimpleDataSource();
        source.setUrl(database.jdbcUrl());
        source.setUser(database.user());
        source.setPassword(database.password().reveal());
        refuseUnfit(source);
        try {
            Flyway.configure(Migrations.class.getClassLoader())
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

    private static void refuseUnfit(DataSource source) {
        try (var connection = source.getConnection();
                var statement = connection.createStatement();
                var result =
                        statement.executeQuery(
                                """
                                select current_setting('server_version_num')::int as version,
                                       current_setting('fsync')::bool as flushes
                                """)) {
            result.next();
            if (result.getInt("version") < OLDEST_SERVER) {
                throw new DbException("it must be PostgreSQL 15 or newer");
            }
            if (!result.getBoolean("flushes")) {
                throw new DbException(
                        "it runs with fsync off, so nothing it says is stored is safe; turn fsync"
                                + " on");
            }
        } catch (SQLException e) {
            throw new DbException(e);
        }
    }
}
