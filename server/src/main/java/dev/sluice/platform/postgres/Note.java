package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.secret.PrivateFile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// A line kept in a file that only we may read. It is replaced whole or not at all.
record Note(Path file) {

    /// Empty when there is no such file, or nothing in it.
    Optional<String> read() {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readString(file, UTF_8).strip())
                    .filter(line -> !line.isEmpty());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(String line) {
        try {
            PrivateFile.write(file, line + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
