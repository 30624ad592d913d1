package dev.sluice.bench.relay;

import dev.sluice.bench.platform.Tool;
import dev.sluice.bench.platform.UsageException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/// A small file system of its own under a folder of PostgreSQL's data, so that it can be full while
/// the machine's disk is not.
public final class Volume implements AutoCloseable {

    private static final String BALLAST = "ballast";

    private final String folder;
    private final int mebibytes;
    private Optional<Path> place = Optional.empty();

    /// @param folder in the data directory, such as `base` or `pg_wal`
    public Volume(String folder, int mebibytes) {
        this.folder = folder;
        this.mebibytes = mebibytes;
    }

    /// Why there can be none on this machine; empty when there can.
    public static Optional<String> refusal() {
        if (!Tool.isRoot()) {
            return Optional.of("needs root, to mount a small file system");
        }
        try {
            Path probe = Files.createTempDirectory("sluice-bench-mount-");
            try {
                var mounted =
                        Tool.run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", path(probe));
                Tool.run("umount", path(probe));
                return mounted.isGood()
                        ? Optional.empty()
                        : Optional.of("cannot mount a file system: " + mounted.said().strip());
            } finally {
                Files.delete(probe);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Moves the folder's content onto the new file system; PostgreSQL does not run.
    void mount(OwnPostgres postgres) {
        Path target = postgres.cluster().resolve(folder);
        Path aside = postgres.cluster().resolveSibling(folder + ".aside");
        demand("mv", path(target), path(aside));
        demand("mkdir", path(target));
        demand("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", path(target));
        place = Optional.of(target);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> unmount(target), "unmount"));
        demand("cp", "-a", path(aside) + "/.", path(target));
        demand("rm", "-r", path(aside));
        demand("chmod", "700", path(target));
        postgres.own(target);
    }

    /// Takes all the room that is left.
    public void fill() {
        var block = ByteBuffer.allocate(4096);
        try (var ballast =
                FileChannel.open(
                        mounted().resolve(BALLAST),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND)) {
            while (ballast.write(block.clear()) > 0) {
                // until there is no more
            }
        } catch (IOException full) {
            return;
        }
    }

    /// Gives it back.
    public void free() {
        try {
            Files.deleteIfExists(mounted().resolve(BALLAST));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path mounted() {
        return place.orElseThrow(() -> new IllegalStateException("not mounted"));
    }

    /// Also where it is none any more.
    private static void unmount(Path target) {
        Tool.run("umount", "-l", path(target));
    }

    private static void demand(String... command) {
        var ended = Tool.run(command);
        if (!ended.isGood()) {
            throw new UsageException(String.join(" ", command) + ": " + ended.said().strip());
        }
    }

    private static String path(Path path) {
        return path.toString();
    }

    @Override
    public void close() {
        place.ifPresent(Volume::unmount);
        place = Optional.empty();
    }
}
