package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The contents of `postmaster.pid`, in which PostgreSQL records the process that runs a cluster. A
/// server that was killed leaves the file behind.
///
/// @param started the start time in seconds since 1970; it distinguishes two servers with the same
///   process id
/// @param isReady whether the server accepts connections
record PidFile(long pid, String started, boolean isReady) {

    /// Reads the file. Returns empty when it cannot be read, or when its first three lines have not
    /// been written yet.
    static Optional<PidFile> of(PostgresDirectory postgresDirectory) {
        // A file channel is unsuitable: an interrupt closes it, and the file would then seem
        // unreadable.
        try (var in =
                new FileInputStream(
                        postgresDirectory.cluster().resolve("postmaster.pid").toFile())) {
            return parse(new String(in.readAllBytes(), UTF_8).lines().toList());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Parses the lines of the file. In order, they are: process id, data directory, start time in
    /// epoch seconds, port, socket directory, listen address, shared memory, state (PostgreSQL
    /// source, `src/include/utils/pidfile.h`).
    private static Optional<PidFile> parse(List<String> lines) {
        if (lines.size() < 3 || !lines.getFirst().matches("\\d{1,18}")) {
            return Optional.empty();
        }
        boolean isReady = lines.size() > 7 && lines.get(7).strip().equals("ready");
        return Optional.of(new PidFile(Long.parseLong(lines.getFirst()), lines.get(2), isReady));
    }
}
