package dev.sluice.faults.cluster;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;
import static dev.sluice.bench.platform.UncheckedCalls.uncheckedRun;

import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.SystemCommands;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/// A small file system mounted on a folder in PostgreSQL's data directory. It can be full while the
/// machine's disk is not.
public final class TmpfsVolume implements AutoCloseable {

    private static final String BALLAST_FILE = "ballast";

    private final String folder;
    private final int mebibytes;
    private Optional<Path> mountPoint = Optional.empty();

    /// @param folder a folder in the data directory, such as `base` or `pg_wal`
    public TmpfsVolume(String folder, int mebibytes) {
        this.folder = folder;
        this.mebibytes = mebibytes;
    }

    /// Returns why a volume cannot be mounted on this machine, or empty if it can.
    public static Optional<String> unmetRequirement() {
        if (!SystemCommands.isRoot()) {
            return Optional.of("needs root, to mount a small file system");
        }
        return unchecked(() -> {
            Path probe = Files.createTempDirectory("sluice-bench-mount-");
            try {
                var mounted =
                        SystemCommands.run(
                                "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", path(probe));
                SystemCommands.run("umount", path(probe));
                return mounted.isSuccess()
                        ? Optional.empty()
                        : Optional.of("cannot mount a file system: " + mounted.output().strip());
            } finally {
                Files.delete(probe);
            }
        });
    }

    /// Mounts the file system and moves the folder's content onto it. PostgreSQL must not be
    /// running.
    void mount(StandalonePostgres postgres) {
        Path target = postgres.cluster().resolve(folder);
        Path aside = postgres.cluster().resolveSibling(folder + ".aside");
        runOrFail("mv", path(target), path(aside));
        runOrFail("mkdir", path(target));
        runOrFail("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", path(target));
        mountPoint = Optional.of(target);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> unmount(target), "unmount"));
        runOrFail("cp", "-a", path(aside) + "/.", path(target));
        runOrFail("rm", "-r", path(aside));
        runOrFail("chmod", "700", path(target));
        postgres.giveOwnership(target);
    }

    /// Fills all free space.
    public void fill() {
        var block = ByteBuffer.allocate(4096);
        try (var ballast =
                FileChannel.open(
                        mounted().resolve(BALLAST_FILE),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND)) {
            while (ballast.write(block.clear()) > 0) {
                // The loop ends when no space is left.
            }
        } catch (IOException full) {
            return;
        }
    }

    /// Frees the space that [#fill()] has used.
    public void free() {
        uncheckedRun(() -> Files.deleteIfExists(mounted().resolve(BALLAST_FILE)));
    }

    private Path mounted() {
        return mountPoint.orElseThrow(() -> new IllegalStateException("not mounted"));
    }

    /// Unmounts the file system. Does nothing if none is mounted.
    private static void unmount(Path target) {
        SystemCommands.run("umount", "-l", path(target));
    }

    private static void runOrFail(String... command) {
        var result = SystemCommands.run(command);
        if (!result.isSuccess()) {
            throw new CommandLineException(
                    String.join(" ", command) + ": " + result.output().strip());
        }
    }

    private static String path(Path path) {
        return path.toString();
    }

    @Override
    public void close() {
        mountPoint.ifPresent(TmpfsVolume::unmount);
        mountPoint = Optional.empty();
    }
}
