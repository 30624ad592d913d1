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

/// The CPU time that one thread has used since it started, from
/// `/proc/<pid>/task/<thread>/schedstat`.
///
/// @param group the thread's group, as named by [ThreadGroupNames]
/// @param nanos the CPU time, exact to the nanosecond; `/proc/<pid>/stat` counts only in units of
///   10 ms
/// @param switches the number of context switches to the thread
public record ThreadTimes(long thread, String group, long nanos, long switches) {

    /// Parses a line of three numbers: the time that the thread ran on a processor, the time that
    /// it waited for a processor, and the number of context switches to it.
    static ThreadTimes parse(long thread, String group, String schedstat) {
        String[] fields = schedstat.strip().split(" ", -1);
        return new ThreadTimes(thread, group, Long.parseLong(fields[0]), Long.parseLong(fields[2]));
    }

    /// Returns all of a process's threads, or an empty list if the process has ended.
    ///
    /// @param process the process's directory under `/proc`
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
            // The thread ended after the directory was listed.
            return Optional.empty();
        }
    }

    /// Reads a file as Latin-1 because names may contain any bytes.
    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }
}
