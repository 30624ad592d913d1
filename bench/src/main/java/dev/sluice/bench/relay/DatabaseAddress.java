package dev.sluice.bench.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/// How to reach the PostgreSQL that lives in a data directory.
public record DatabaseAddress(int port, String password) {

    /// Of the user, the database and the schema.
    private static final String NAME = "sluice";

    static DatabaseAddress in(Path dataDirectory) {
        try {
            Path postgres = dataDirectory.resolve("postgres");
            return new DatabaseAddress(
                    Integer.parseInt(Files.readString(postgres.resolve("port")).strip()),
                    Files.readString(postgres.resolve("password")).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String user() {
        return NAME;
    }

    public String jdbcUrl() {
        return jdbcUrl(NAME);
    }

    /// As the relay's settings take it.
    String url() {
        return "postgresql://%s:%s@127.0.0.1:%d/%s".formatted(NAME, password, port, NAME);
    }

    /// The same database through another port of this machine.
    DatabaseAddress through(int otherPort) {
        return new DatabaseAddress(otherPort, password);
    }

    /// Makes the database, in a cluster that has only its own.
    void createDatabase() {
        try (var connection = connect("postgres");
                var statement = connection.createStatement()) {
            statement.execute("create database " + NAME);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// A connection of our own, for what no API can do.
    public Connection connect() throws SQLException {
        return connect(NAME);
    }

    private Connection connect(String database) throws SQLException {
        var properties = new Properties();
        properties.setProperty("user", NAME);
        properties.setProperty("password", password);
        properties.setProperty("currentSchema", NAME);
        return DriverManager.getConnection(jdbcUrl(database), properties);
    }

    private String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }
}
