package dev.sluice.bench.measure;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A process's parent and CPU time, from `/proc/<pid>/stat`, in hundredths of a second. User and
/// kernel mode count together.
///
/// @param ticks CPU time of the process, with its threads that have ended
/// @param childTicks CPU time of its children that have ended and were waited for
public record ProcessTimes(long pid, long parent, long ticks, long childTicks) {

    /// The name in brackets may hold blanks and brackets itself, so fields count from the last one.
    public static ProcessTimes parse(String line) {
        int bracket = line.lastIndexOf(')');
        long pid = Long.parseLong(line.substring(0, line.indexOf(' ')));
        String[] fields = line.substring(bracket + 2).split(" ", -1);
        return new ProcessTimes(
                pid, Long.parseLong(fields[1]), sum(fields, 11, 12), sum(fields, 13, 14));
    }

    private static long sum(String[] fields, int one, int other) {
        return Long.parseLong(fields[one]) + Long.parseLong(fields[other]);
    }

    /// All processes that can be seen.
    static List<ProcessTimes> all(Path proc) throws IOException {
        var all = new ArrayList<ProcessTimes>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                read(process).ifPresent(all::add);
            }
        }
        return all;
    }

    private static Optional<ProcessTimes> read(Path process) {
        try {
            return Optional.of(parse(Files.readString(process.resolve("stat"))));
        } catch (IOException ended) {
            // It ended since the directory was listed.
            return Optional.empty();
        }
    }
}
