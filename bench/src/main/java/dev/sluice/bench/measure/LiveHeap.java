package dev.sluice.bench.measure;

import java.util.OptionalDouble;

/// The memory that another JVM uses.
///
/// @param megabytes the total size of the live objects on its heap
/// @param resident the memory that its process occupies, in megabytes
public record LiveHeap(double megabytes, OptionalDouble resident) {

    private static final double BYTES_PER_MEGABYTE = 1024.0 * 1024;

    /// Makes the JVM run a garbage collection, and then measures the JVM's memory. Uses the `jcmd`
    /// of the JDK that runs this process.
    public static LiveHeap of(long pid) {
        long bytes = totalBytes(JvmDiagnostics.run(pid, "GC.class_histogram"));
        return new LiveHeap(bytes / BYTES_PER_MEGABYTE, residentMegabytes(pid));
    }

    /// Returns the bytes in the last line of the histogram, which is `Total <instances> <bytes>`.
    static long totalBytes(String histogram) {
        return histogram
                .lines()
                .map(line -> line.strip().split("\\s+", -1))
                .filter(words -> words.length == 3 && words[0].equals("Total"))
                .mapToLong(words -> Long.parseLong(words[2]))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("jcmd printed: " + histogram));
    }

    /// Returns the memory that a process occupies, in megabytes, or empty if the system does not
    /// report it.
    public static OptionalDouble residentMegabytes(long pid) {
        return ProcFile.field("/proc/" + pid + "/status", "VmRSS").stream()
                .mapToDouble(value -> Double.parseDouble(value.replaceAll("[^0-9]", "")) / 1024)
                .findFirst();
    }
}
