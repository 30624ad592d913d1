package dev.sluice.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/// A temporary directory that outlives a single test.
public record TestDirectory(Path path) {

    public static TestDirectory make() {
        try {
            return new TestDirectory(Files.createTempDirectory("sluice-test-"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Deletes the directory with its contents.
    public void remove() {
        try (var files = Files.walk(path)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
