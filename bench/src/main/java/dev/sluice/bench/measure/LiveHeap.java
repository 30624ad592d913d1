package dev.sluice.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;

/// What another JVM keeps alive.
///
/// @param megabytes on its heap after a collection
/// @param resident megabytes of memory that its process occupies
public record LiveHeap(double megabytes, OptionalDouble resident) {

    private static final double MEGABYTE = 1024.0 * 1024;

    /// Makes it collect its garbage, by the `jcmd` of our own JDK.
    public static LiveHeap of(long pid) {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            var process =
                    new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
                            .redirectErrorStream(true)
                            .start();
            String histogram =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new LiveHeap(total(histogram) / MEGABYTE, residentOf(pid));
        } catch (IOException e) {
            throw new IllegalStateException("jcmd could not be run", e);
        }
    }

    /// The bytes in the last line: `Total <instances> <bytes>`.
    static long total(String histogram) {
        for (String line : histogram.split("\n", -1)) {
            String[] words = line.strip().split("\\s+", -1);
            if (words.length == 3 && words[0].equals("Total")) {
                return Long.parseLong(words[2]);
            }
        }
        throw new IllegalStateException("jcmd said: " + histogram);
    }

    /// The megabytes of memory that a process occupies; empty where that is not told.
    public static OptionalDouble residentOf(long pid) {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        if (!Files.exists(status)) {
            return OptionalDouble.empty();
        }
        try {
            return Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")) / 1024)
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
