package dev.sluice.bench.measure;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// The memory that a process and its descendants occupy, from `/proc/<pid>/smaps_rollup`.
///
/// @param proportionalMb the proportional set size (PSS) in MiB: a page that several processes
///   share is divided among them
/// @param residentMb the resident set size (RSS) in MiB: each shared page counts in full
public record ProcessMemory(double proportionalMb, double residentMb) {

    private static final double KILOBYTES_PER_MEGABYTE = 1024;

    /// @param roots the main process of each role, as in [CpuSnapshot#now]
    /// @param role one of the roles in `roots`
    public static ProcessMemory of(Map<ProcessRole, Long> roots, ProcessRole role) {
        var tree =
                unchecked(() -> CpuSnapshot.byRole(roots, ProcessTimes.all(Path.of("/proc"))))
                        .get(role);
        if (tree == null || tree.isEmpty()) {
            throw new IllegalStateException("there is no process of the " + role);
        }
        double proportional = 0;
        double resident = 0;
        for (ProcessTimes process : tree) {
            var memory = read(Path.of("/proc", Long.toString(process.pid())));
            proportional += memory.proportionalMb();
            resident += memory.residentMb();
        }
        return new ProcessMemory(proportional, resident);
    }

    /// Returns zeros if the process has ended.
    private static ProcessMemory read(Path process) {
        try {
            return parse(Files.readAllLines(process.resolve("smaps_rollup")));
        } catch (IOException e) {
            if (Files.exists(process)) {
                throw new UncheckedIOException(e);
            }
            return new ProcessMemory(0, 0);
        }
    }

    /// Parses lines such as `Pss: 1780 kB`.
    static ProcessMemory parse(List<String> lines) {
        return new ProcessMemory(megabytes(lines, "Pss:"), megabytes(lines, "Rss:"));
    }

    private static double megabytes(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")))
                .map(kilobytes -> kilobytes / KILOBYTES_PER_MEGABYTE)
                .findFirst()
                .orElseThrow();
    }
}
