package dev.sluice.bench.measure;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Reads lines of the form `name: value` from files under `/proc`.
final class ProcFile {

    private ProcFile() {}

    /// Returns the value of the first line with this name, or empty if there is no such line or
    /// file.
    static Optional<String> field(String file, String name) {
        var path = Path.of(file);
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        return unchecked(() -> Files.readAllLines(path)).stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst();
    }
}
