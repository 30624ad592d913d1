package dev.sluice.bench.platform;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;

/// Creates and removes temporary directories, which hold the files of the processes that the bench
/// starts.
public final class TemporaryDirectory {

    private TemporaryDirectory() {}

    /// Creates a directory that all users can read, because PostgreSQL may run as another user and
    /// must be able to reach its files there.
    public static Path make(String prefix) {
        return unchecked(() -> {
            Path directory = Files.createTempDirectory(prefix);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            return directory;
        });
    }

    /// Removes the directory and its contents. If that fails, prints the reason.
    public static void remove(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (UncheckedIOException | IOException busy) {
            System.err.println("a temporary directory could not be removed: " + busy.getMessage());
        }
    }
}
