package dev.sluice.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The most memory that a process has had resident, as the kernel keeps it (`VmHWM`). It is known
/// only while the process runs, so it must be sampled until the end.
///
/// Not thread-safe.
public final class PeakMemory {

    private static final String FIELD = "VmHWM:";

    private final Path status;
    private long kilobytes;

    public PeakMemory(long pid) {
        status = Path.of("/proc", Long.toString(pid), "status");
    }

    /// Reads the value; keeps the last one once the process is gone.
    public void sample() {
        try {
            for (String line : Files.readAllLines(status)) {
                if (line.startsWith(FIELD)) {
                    kilobytes = Math.max(kilobytes, Long.parseLong(line.replaceAll("\\D", "")));
                }
            }
        } catch (IOException gone) {
            // It ended between two samples.
        }
    }

    public double megabytes() {
        return kilobytes * 1024 / 1e6;
    }
}
