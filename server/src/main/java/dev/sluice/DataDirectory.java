package dev.sluice;

import dev.sluice.platform.secret.PrivateFile;
import dev.sluice.platform.secret.RandomText;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.Secret;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/// The data directory, held by one process at a time.
///
/// The lock is the operating system's and goes with the process: who has it knows that every
/// earlier holder is dead.
final class DataDirectory implements AutoCloseable {

    private final Path path;
    private final FileChannel channel;

    private DataDirectory(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /// @throws StartRefused when another process has it, or it cannot be used
    static DataDirectory open(Path path) {
        return openIfFree(path)
                .orElseThrow(() ->
                        new StartRefused(
                                "Another Sluice is running on the data directory "
                                        + path.toAbsolutePath().normalize()
                                        + ". Stop it first, or give this one its own with"
                                        + " SLUICE_DATA_DIR."));
    }

    /// Empty when another process has it.
    ///
    /// @throws StartRefused when it cannot be used
    static Optional<DataDirectory> openIfFree(Path path) {
        var absolute = path.toAbsolutePath().normalize();
        try {
            Files.createDirectories(absolute);
            var channel =
                    FileChannel.open(
                            absolute.resolve("lock"),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            if (!tryLock(channel)) {
                channel.close();
                return Optional.empty();
            }
            return Optional.of(new DataDirectory(absolute, channel));
        } catch (FileAlreadyExistsException e) {
            throw new StartRefused(
                    "SLUICE_DATA_DIR names " + absolute + ", which is not a directory.");
        } catch (IOException e) {
            throw new StartRefused(
                    "The data directory " + absolute + " cannot be used: " + e.getMessage());
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            @Nullable FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false; // held within this process, as in tests
        }
    }

    Path postgres() {
        return postgres(path);
    }

    /// Where the embedded database lives in a data directory that somebody else may hold.
    static Path postgres(Path path) {
        return path.toAbsolutePath().normalize().resolve("postgres");
    }

    /// Of the disk it lies on, from 0 to 1; 1 when that cannot be told.
    double freeShare() {
        try {
            var store = Files.getFileStore(path);
            return store.getTotalSpace() <= 0
                    ? 1
                    : (double) store.getUsableSpace() / store.getTotalSpace();
        } catch (IOException e) {
            return 1;
        }
    }

    /// What is on the wire; there while a process runs, and after one that was killed.
    Path wire() {
        return path.resolve("wire.slots");
    }

    Path firstStart() {
        return path.resolve("first-start.txt");
    }

    /// Names this directory among nodes; made once.
    UUID home() throws IOException {
        return UUID.fromString(readOrWrite("node", UUID.randomUUID().toString()));
    }

    /// The key kept here; made once.
    Secret masterKey(RandomText random) throws IOException {
        return new Secret(
                readOrWrite(
                        "master.key",
                        Base64.getEncoder().encodeToString(random.bytes(Sealer.MASTER_KEY_BYTES))));
    }

    private String readOrWrite(String name, String fresh) throws IOException {
        var file = path.resolve(name);
        if (!Files.exists(file)) {
            PrivateFile.write(file, fresh + "\n");
        }
        return Files.readString(file).strip();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // The lock goes with the process at the latest.
        }
    }
}
