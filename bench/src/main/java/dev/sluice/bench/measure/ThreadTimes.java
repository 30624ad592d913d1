package dev.sluice.bench.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The CPU time of one thread since it began, from `/proc/<pid>/task/<thread>/schedstat`.
///
/// @param group what the thread works for, by [ThreadGroupNames]
/// @param nanos CPU time, exact to the nanosecond where `/proc/<pid>/stat` counts in 10 ms
/// @param switches how often a processor was switched to it
public record ThreadTimes(long thread, String group, long nanos, long switches) {

    /// The line has the time on a processor, the time waiting for one, and the count of turns.
    static ThreadTimes parse(long thread, String group, String schedstat) {
        String[] fields = schedstat.strip().split(" ", -1);
        return new ThreadTimes(thread, group, Long.parseLong(fields[0]), Long.parseLong(fields[2]));
    }

    /// All threads of a process; none when it has ended.
    ///
    /// @param process its directory below `/proc`
    static List<ThreadTimes> all(Path process) {
        var all = new ArrayList<ThreadTimes>();
        try {
            String title = read(process.resolve("cmdline"));
            try (DirectoryStream<Path> threads =
                    Files.newDirectoryStream(process.resolve("task"))) {
                for (Path thread : threads) {
                    read(thread, title).ifPresent(all::add);
                }
            }
        } catch (IOException | DirectoryIteratorException ended) {
            return List.of();
        }
        return all;
    }

    private static Optional<ThreadTimes> read(Path thread, String title) {
        try {
            String group = ThreadGroupNames.of(read(thread.resolve("comm")).strip(), title);
            long id = Long.parseLong(thread.getFileName().toString());
            return Optional.of(parse(id, group, read(thread.resolve("schedstat"))));
        } catch (IOException ended) {
            // It ended since the directory was listed.
            return Optional.empty();
        }
    }

    /// Names may hold any bytes.
    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }
}
