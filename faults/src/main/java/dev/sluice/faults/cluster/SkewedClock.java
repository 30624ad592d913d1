package dev.sluice.faults.cluster;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;
import static dev.sluice.bench.platform.UncheckedCalls.uncheckedRun;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.sluice.bench.platform.SystemCommands;
import dev.sluice.bench.platform.TextResource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A deliberately wrong wall clock for processes that are started with its [#environment()]. The
/// clock can be changed while they are running.
///
/// It is implemented as a small library, which this class compiles and which the processes load
/// before the C library (`LD_PRELOAD`).
///
/// The monotonic clock stays correct, as it does when a machine's wall clock is changed.
public final class SkewedClock {

    private static final List<String> FILE_NAMES = List.of("skew.c", "skew.so", "skew");

    private final Path directory;

    private SkewedClock(Path directory) {
        this.directory = directory;
    }

    /// Returns why this machine cannot run a skewed clock, or empty if it can.
    public static Optional<String> unmetRequirement() {
        return SystemCommands.isInstalled("gcc")
                ? Optional.empty()
                : Optional.of("needs gcc, to shift a clock");
    }

    /// Creates a clock that shows the correct time at first.
    public static SkewedClock make() {
        return unchecked(() -> {
            Path directory = Files.createTempDirectory("sluice-bench-clock-");
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            directory.toFile().deleteOnExit();
            FILE_NAMES.forEach(name -> directory.resolve(name).toFile().deleteOnExit());
            var clock = new SkewedClock(directory);
            clock.compile();
            clock.set(Duration.ZERO);
            return clock;
        });
    }

    private void compile() throws IOException {
        Files.writeString(
                directory.resolve("skew.c"), TextResource.read(SkewedClock.class, "skew.c"));
        String command =
                "gcc -shared -fPIC -O2 -Wall -o %1$s/skew.so %1$s/skew.c -ldl".formatted(directory);
        var compiled = SystemCommands.run(command.split(" ", -1));
        if (!compiled.isSuccess()) {
            throw new IllegalStateException("the clock does not compile: " + compiled.output());
        }
    }

    /// Returns the environment variables for the processes that should use this clock.
    public Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD",
                directory.resolve("skew.so").toString(),
                "BENCH_SKEW",
                directory.resolve("skew").toString());
    }

    /// Sets how far this clock is ahead of the correct time. If `ahead` is negative, the clock is
    /// behind.
    public void set(Duration ahead) {
        var bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        bytes.putLong(ahead.toNanos()).flip();
        uncheckedRun(() -> {
            try (var file = FileChannel.open(directory.resolve("skew"), CREATE, WRITE)) {
                file.write(bytes);
            }
        });
    }
}
