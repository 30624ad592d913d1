package dev.sluice.bench.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Finds the main process of the PostgreSQL server in a relay's data directory.
final class PostmasterFinder {

    private static final int MAX_SEARCH_DEPTH = 5;

    private PostmasterFinder() {}

    /// Returns the process, or empty if PostgreSQL is not running. The pid file may be stale, and
    /// the process ID in it may now belong to another process. The process is therefore returned
    /// only if its working directory is inside the data directory.
    static Optional<ProcessHandle> find(Path dataDirectory) {
        Path postgres = dataDirectory.resolve("postgres");
        if (!Files.isDirectory(postgres)) {
            return Optional.empty();
        }
        try (Stream<Path> files =
                Files.find(
                        postgres, MAX_SEARCH_DEPTH, (path, _) -> path.endsWith("postmaster.pid"))) {
            for (Path file : files.toList()) {
                var process = read(file, dataDirectory);
                if (process.isPresent()) {
                    return process;
                }
            }
            return Optional.empty();
        } catch (UncheckedIOException | IOException changing) {
            // PostgreSQL is creating or removing its files. The caller will ask again.
            return Optional.empty();
        }
    }

    private static Optional<ProcessHandle> read(Path file, Path dataDirectory) throws IOException {
        List<String> lines = Files.readAllLines(file);
        if (lines.isEmpty() || !lines.getFirst().strip().matches("[0-9]+")) {
            return Optional.empty();
        }
        long pid = Long.parseLong(lines.getFirst().strip());
        Path place = Path.of("/proc", Long.toString(pid), "cwd");
        if (!Files.exists(place) || !place.toRealPath().startsWith(dataDirectory.toRealPath())) {
            return Optional.empty();
        }
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
    }
}
