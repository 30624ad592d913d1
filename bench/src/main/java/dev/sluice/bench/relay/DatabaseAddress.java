package dev.sluice.bench.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// How to reach the PostgreSQL that lives in a data directory.
public record DatabaseAddress(int port, String password) {

    /// The user and the database have the same name.
    private static final String NAME = "sluice";

    static DatabaseAddress in(Path dataDirectory) {
        try {
            return new DatabaseAddress(
                    Postmaster.in(dataDirectory).orElseThrow().port(),
                    Files.readString(dataDirectory.resolve("postgres/password")).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String user() {
        return NAME;
    }

    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + NAME;
    }
}
