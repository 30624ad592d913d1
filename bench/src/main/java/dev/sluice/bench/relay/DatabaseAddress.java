package dev.sluice.bench.relay;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/// The port and password of a PostgreSQL server on this machine.
public record DatabaseAddress(int port, String password) {

    /// The name of the user, the database and the schema, which is the same for all three.
    private static final String DATABASE_NAME = "sluice";

    public static DatabaseAddress read(Path dataDirectory) {
        return unchecked(() -> {
            Path postgres = dataDirectory.resolve("postgres");
            return new DatabaseAddress(
                    Integer.parseInt(Files.readString(postgres.resolve("port")).strip()),
                    Files.readString(postgres.resolve("password")).strip());
        });
    }

    public String user() {
        return DATABASE_NAME;
    }

    public String jdbcUrl() {
        return jdbcUrl(DATABASE_NAME);
    }

    /// Returns the address in the form that the relay's settings accept.
    String url() {
        return "postgresql://%s:%s@127.0.0.1:%d/%s"
                .formatted(DATABASE_NAME, password, port, DATABASE_NAME);
    }

    /// Returns the address of the same database, reached through another port on this machine.
    public DatabaseAddress withPort(int otherPort) {
        return new DatabaseAddress(otherPort, password);
    }

    /// Creates the database in a cluster that does not have it yet.
    void createDatabase() {
        try (var connection = connect("postgres");
                var statement = connection.createStatement()) {
            statement.execute("create database " + DATABASE_NAME);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Opens a connection, for operations that the relay's API does not offer.
    public Connection connect() throws SQLException {
        return connect(DATABASE_NAME);
    }

    private Connection connect(String database) throws SQLException {
        var properties = new Properties();
        properties.setProperty("user", DATABASE_NAME);
        properties.setProperty("password", password);
        properties.setProperty("currentSchema", DATABASE_NAME);
        return DriverManager.getConnection(jdbcUrl(database), properties);
    }

    private String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }
}
