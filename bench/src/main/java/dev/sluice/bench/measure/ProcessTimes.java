package dev.sluice.bench.measure;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The parent and the CPU time of a process, from `/proc/<pid>/stat`. The times are in hundredths
/// of a second, and include user and kernel time.
///
/// @param ticks the CPU time of the process, including threads that have ended
/// @param childTicks the CPU time of children that have ended and that the process has waited for
public record ProcessTimes(long pid, long parent, long ticks, long childTicks) {

    /// Parses the line in such a file. The program's name is in parentheses and may itself contain
    /// spaces and parentheses, so the fields are counted from the last closing parenthesis.
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

    /// Returns all processes that this process can see.
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
            // The process ended after the directory was listed.
            return Optional.empty();
        }
    }
}
