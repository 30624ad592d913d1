package dev.sluice.bench.relay;

import dev.sluice.bench.platform.Tool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A wall clock that is wrong, for the processes that get its environment, and that we can change
/// while they run: a small library, compiled here, that stands between them and the C library.
///
/// The monotonic clock is not touched, as on a machine whose clock is set.
public final class SkewedClock {

    private static final List<String> FILES = List.of("skew.c", "skew.so", "skew");

    private final Path directory;

    private SkewedClock(Path directory) {
        this.directory = directory;
    }

    /// Why there can be none on this machine; empty when there can.
    public static Optional<String> refusal() {
        return Tool.has("gcc") ? Optional.empty() : Optional.of("needs gcc, to shift a clock");
    }

    /// Right at first.
    public static SkewedClock make() {
        try {
            Path directory = Files.createTempDirectory("sluice-bench-clock-");
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            directory.toFile().deleteOnExit();
            FILES.forEach(name -> directory.resolve(name).toFile().deleteOnExit());
            var clock = new SkewedClock(directory);
            clock.compile();
            clock.set(Duration.ZERO);
            return clock;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void compile() throws IOException {
        try (var source = SkewedClock.class.getResourceAsStream("/dev/sluice/bench/fault/skew.c")) {
            if (source == null) {
                throw new IllegalStateException("skew.c is not on the class path");
            }
            Files.copy(source, directory.resolve("skew.c"));
        }
        var compiled =
                Tool.run(
                        "gcc",
                        "-shared",
                        "-fPIC",
                        "-O2",
                        "-Wall",
                        "-o",
                        directory.resolve("skew.so").toString(),
                        directory.resolve("skew.c").toString(),
                        "-ldl");
        if (!compiled.isGood()) {
            throw new IllegalStateException("the clock does not compile: " + compiled.said());
        }
    }

    /// For the processes whose clock it shall be.
    public Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD",
                directory.resolve("skew.so").toString(),
                "BENCH_SKEW",
                directory.resolve("skew").toString());
    }

    /// From now on it is so much ahead of the right time.
    public void set(Duration ahead) {
        var bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        bytes.putLong(ahead.toNanos()).flip();
        try (var file =
                FileChannel.open(
                        directory.resolve("skew"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE)) {
            file.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
