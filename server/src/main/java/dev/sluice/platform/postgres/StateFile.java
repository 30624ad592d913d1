package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.secret.PrivateFile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// A one-line text file, readable only by its owner. Each write replaces the whole file atomically.
record StateFile(Path path) {

    /// Returns the file's text, or empty when the file does not exist or is blank.
    Optional<String> read() {
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readString(path, UTF_8).strip())
                    .filter(line -> !line.isEmpty());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(String line) {
        try {
            PrivateFile.write(path, line + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
