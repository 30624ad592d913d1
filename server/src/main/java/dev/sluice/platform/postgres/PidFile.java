package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// What `postmaster.pid` says: who runs the cluster, or ran it when nobody removed the file.
///
/// @param started tells two servers apart that got the same process id
record PidFile(long pid, String started, boolean isReady) {

    /// Empty when there is no such file or it is not yet written.
    static Optional<PidFile> of(Home home) {
        // Not through a channel: an interrupt would close it, and look like a broken file.
        try (var in = new FileInputStream(home.cluster().resolve("postmaster.pid").toFile())) {
            return parse(new String(in.readAllBytes(), UTF_8).lines().toList());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Lines: process id, data directory, start in epoch seconds, port, socket folder, host, shared
    /// memory, state.
    private static Optional<PidFile> parse(List<String> lines) {
        if (lines.size() < 3 || !lines.getFirst().matches("\\d{1,18}")) {
            return Optional.empty();
        }
        boolean isReady = lines.size() > 7 && lines.get(7).strip().equals("ready");
        return Optional.of(new PidFile(Long.parseLong(lines.getFirst()), lines.get(2), isReady));
    }
}
