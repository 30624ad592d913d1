package dev.sluice.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The peak resident memory of a process, as tracked by the kernel (`VmHWM`). The kernel reports it
/// only while the process is running, so the caller must call [#sample()] repeatedly until the
/// process ends.
///
/// Not thread-safe.
public final class PeakMemory {

    private static final String FIELD = "VmHWM:";

    private final Path status;
    private long kilobytes;

    public PeakMemory(long pid) {
        status = Path.of("/proc", Long.toString(pid), "status");
    }

    /// Reads the current peak. If the process has ended, keeps the last value that was read.
    public void sample() {
        try {
            for (String line : Files.readAllLines(status)) {
                if (line.startsWith(FIELD)) {
                    kilobytes = Math.max(kilobytes, Long.parseLong(line.replaceAll("\\D", "")));
                }
            }
        } catch (IOException gone) {
            // The process ended between two samples.
        }
    }

    public double megabytes() {
        return kilobytes * 1024 / 1e6;
    }
}
