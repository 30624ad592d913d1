package dev.sluice.testkit;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Migrations;
import dev.sluice.platform.postgres.EmbeddedPostgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/// One PostgreSQL for all tests of this JVM, the embedded one as it is in production, and databases
/// in it that are copied from a migrated template.
public final class TestCluster {

    private static final String TEMPLATE = "sluice_template";
    private static final AtomicInteger COUNT = new AtomicInteger();

    private TestCluster() {}

    /// Started by the first who asks, stopped when the JVM ends.
    private static final class Running {

        static final EmbeddedPostgres SERVER = start();

        private static EmbeddedPostgres start() {
            try {
                Path directory = Files.createTempDirectory("sluice-test-postgres");
                var server = EmbeddedPostgres.start(directory, Map.of("max_connections", "200"));
                Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, directory)));
                execute(server, "create database " + TEMPLATE);
                Migrations.run(database(server, TEMPLATE));
                return server;
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        private static void stop(EmbeddedPostgres server, Path directory) {
            server.close();
            try (var files = Files.walk(directory)) {
                files.sorted(java.util.Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            } catch (IOException e) {
                System.err.println("left behind: " + directory);
            }
        }
    }

    /// A database of its own, migrated and empty.
    public static Database newDatabase() {
        String name = "sluice_test_" + COUNT.incrementAndGet();
        execute(Running.SERVER, "create database " + name + " template " + TEMPLATE);
        return database(Running.SERVER, name);
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

    private static Database database(EmbeddedPostgres server, String name) {
        return new Database(
                server.host(), server.port(), name, server.user(), server.password(), "");
    }

    private static void execute(EmbeddedPostgres server, String sql) {
        String url =
                "jdbc:postgresql://"
                        + server.host()
                        + ":"
                        + server.port()
                        + "/"
                        + server.database();
        try (var connection =
                        DriverManager.getConnection(
                                url, server.user(), server.password().reveal());
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
