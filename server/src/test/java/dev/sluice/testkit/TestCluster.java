package dev.sluice.testkit;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Migrations;
import dev.sluice.platform.postgres.EmbeddedPostgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/// One PostgreSQL for all tests of this JVM, the embedded one as it is in production, and databases
/// in it that are copied from a migrated template.
public final class TestCluster {

    private static final String TEMPLATE = "sluice_template";
    private static final AtomicInteger COUNT = new AtomicInteger();

    private TestCluster() {}

    /// The folder of an installed PostgreSQL's programs, to test with instead of the embedded one.
    private static final Optional<Path> INSTALLED =
            Optional.ofNullable(System.getProperty("sluice.postgres")).map(Path::of);

    /// Started by the first who asks, stopped when the JVM ends.
    private static final class Running {

        static final Function<String, Database> DATABASES = start();

        private static Function<String, Database> start() {
            try {
                Path directory = Files.createTempDirectory("sluice-test-postgres");
                Function<String, Database> databases;
                if (INSTALLED.isPresent()) {
                    var server = InstalledPostgres.start(INSTALLED.get(), directory);
                    databases = server::database;
                    atEnd(server::close, directory);
                } else {
                    var server =
                            EmbeddedPostgres.start(directory, Map.of("max_connections", "200"));
                    databases = name -> database(server, name);
                    atEnd(server::close, directory);
                }
                execute(databases.apply("postgres"), "create database " + TEMPLATE);
                Migrations.run(databases.apply(TEMPLATE));
                return databases;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void atEnd(Runnable close, Path directory) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(close, directory)));
        }

        private static void stop(Runnable close, Path directory) {
            close.run();
            try (var files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            } catch (IOException e) {
                System.err.println("left behind: " + directory);
            }
        }

        private static Database database(EmbeddedPostgres server, String name) {
            return new Database(
                    server.host(), server.port(), name, server.user(), server.password(), "");
        }
    }

    /// A database of its own, migrated and empty.
    public static Database newDatabase() {
        String name = "sluice_test_" + COUNT.incrementAndGet();
        execute(
                Running.DATABASES.apply("postgres"),
                "create database " + name + " template " + TEMPLATE);
        return Running.DATABASES.apply(name);
    }

    /// Connections of a test's own.
    public static Db open(Database database) {
        return Db.open(database, "test", 10, Duration.ofSeconds(60));
    }

    /// As `SLUICE_DATABASE_URL` names it.
    public static String url(Database database) {
        return "postgresql://%s:%s@%s:%d/%s"
                .formatted(
                        database.user(),
                        database.password().reveal(),
                        database.host(),
                        database.port(),
                        database.name());
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
