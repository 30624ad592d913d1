package dev.sluice.testkit;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.SchemaMigrator;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.postgres.EmbeddedPostgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/// The PostgreSQL server that all tests of this JVM share, and new databases in it.
///
/// The server is the embedded one, as in production. Each new database is a copy of a migrated
/// template. Thread-safe.
public final class TestPostgres {

    private static final String TEMPLATE_DATABASE = "sluice_template";
    private static final AtomicInteger DATABASE_COUNT = new AtomicInteger();

    private TestPostgres() {}

    /// The folder of an installed PostgreSQL's programs. When set, the tests use that PostgreSQL
    /// instead of the embedded one.
    private static final Optional<Path> INSTALLED_PROGRAMS =
            Optional.ofNullable(System.getProperty("sluice.postgres")).map(Path::of);

    /// Holds the server, which starts on first use and stops when the JVM exits.
    private static final class SharedServer {

        static final Function<String, Database> DATABASES = start();

        private static Function<String, Database> start() {
            try {
                Path directory = Files.createTempDirectory("sluice-test-postgres");
                Function<String, Database> databases;
                if (INSTALLED_PROGRAMS.isPresent()) {
                    var server = LocalPostgres.start(INSTALLED_PROGRAMS.get(), directory);
                    databases = server::database;
                    atEnd(server::close, directory);
                } else {
                    var server =
                            EmbeddedPostgres.start(directory, Map.of("max_connections", "300"));
                    databases = name -> database(server, name);
                    atEnd(server::close, directory);
                }
                execute(databases.apply("postgres"), "create database " + TEMPLATE_DATABASE);
                SchemaMigrator.run(databases.apply(TEMPLATE_DATABASE));
                return databases;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void atEnd(Runnable close, Path directory) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(close, directory)));
        }

        /// Hundreds of databases are many files: a process that outlives this one deletes them.
        private static void stop(Runnable close, Path directory) {
            close.run();
            try {
                new ProcessBuilder("rm", "-rf", directory.toString()).start();
            } catch (IOException e) {
                System.err.println("could not delete: " + directory);
            }
        }

        private static Database database(EmbeddedPostgres server, String name) {
            return new Database(
                    server.host(), server.port(), name, server.user(), server.password(), "");
        }
    }

    /// Creates a migrated, empty database.
    public static Database newDatabase() {
        String name = "sluice_test_" + DATABASE_COUNT.incrementAndGet();
        execute(
                SharedServer.DATABASES.apply("postgres"),
                "create database " + name + " template " + TEMPLATE_DATABASE);
        return SharedServer.DATABASES.apply(name);
    }

    /// Opens a connection pool for a test.
    public static Db open(Database database) {
        return Db.open(database, "test", 10, Duration.ofSeconds(60));
    }

    /// Returns the URL of the database, in the format of `SLUICE_DATABASE_URL`.
    public static String url(Database database) {
        return "postgresql://%s:%s@%s:%d/%s"
                .formatted(
                        database.user(),
                        database.password().reveal(),
                        database.host(),
                        database.port(),
                        database.name());
    }

    /// Returns the number of requests to the API that wait for a lock. Asks on the connection that
    /// holds the lock, so that it is not closed for being idle.
    public static long lockWaits(Tx tx) {
        tx.query("select pg_stat_clear_snapshot()", _ -> true);
        return tx.single(
                """
                select count(*) as n
                  from pg_stat_activity
                 where datname = current_database() and wait_event_type = 'Lock'
                   and application_name = 'sluice api'
                """,
                row -> row.number("n"));
    }

    private static void execute(Database database, String sql) {
        String url =
                "jdbc:postgresql://"
                        + database.host()
                        + ":"
                        + database.port()
                        + "/"
                        + database.name();
        try (var connection =
                        DriverManager.getConnection(
                                url, database.user(), database.password().reveal());
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
