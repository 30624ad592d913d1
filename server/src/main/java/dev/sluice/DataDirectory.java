package dev.sluice;

import dev.sluice.platform.secret.PrivateFile;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The directory that holds a server's files. Only one process at a time can lock it.
///
/// The operating system releases the lock when the process that holds it ends. A process that
/// acquires the lock therefore knows that every earlier holder has ended.
final class DataDirectory implements AutoCloseable {

    private static final String MASTER_KEY_FILE = "master.key";
    private static final Path BOOT_ID_FILE = Path.of("/proc/sys/kernel/random/boot_id");

    private final Path path;
    private final FileChannel channel;

    private DataDirectory(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /// Locks the directory, creating it if needed.
    ///
    /// @throws StartupException when another process holds the lock, or the directory cannot be
    ///   used
    static DataDirectory open(Path path) {
        return openIfFree(path)
                .orElseThrow(() ->
                        new StartupException(
                                "Another Sluice process uses the data directory "
                                        + path.toAbsolutePath().normalize()
                                        + ". Stop it first, or choose another directory with"
                                        + " SLUICE_DATA_DIR."));
    }

    /// Like `open`, but returns empty when another process holds the lock.
    ///
    /// @throws StartupException when the directory cannot be used
    static Optional<DataDirectory> openIfFree(Path path) {
        var absolute = path.toAbsolutePath().normalize();
        try {
            PrivateFile.createDirectory(absolute);
            var channel =
                    PrivateFile.open(
                            absolute.resolve("lock"),
                            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
            if (!tryLock(channel)) {
                channel.close();
                return Optional.empty();
            }
            return Optional.of(new DataDirectory(absolute, channel));
        } catch (FileAlreadyExistsException e) {
            throw new StartupException(
                    "SLUICE_DATA_DIR names " + absolute + ", which is not a directory.");
        } catch (IOException e) {
            throw new StartupException(
                    "The data directory " + absolute + " cannot be used: " + e.getMessage());
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            @Nullable FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false; // this process already holds the lock, as in tests
        }
    }

    Path postgresDirectory() {
        return postgresDirectory(path);
    }

    /// Returns the embedded database's directory within the data directory `path`. Does not lock
    /// the data directory, so another process may be using the database.
    static Path postgresDirectory(Path path) {
        return path.toAbsolutePath().normalize().resolve("postgres");
    }

    /// Returns how much of the disk that holds this directory is free, as a fraction from 0 to 1.
    /// Returns 1 if the fraction is unknown.
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

    /// Returns the path of the file that records the delivery attempts in progress. The file exists
    /// while a server is running, and remains if the server is killed.
    Path inFlightFile() {
        return path.resolve("wire.slots");
    }

    Path initialCredentialsFile() {
        return path.resolve("first-start.txt");
    }

    /// Returns an id for this data directory. On Linux, the id is unique: a directory on another
    /// machine or a copy on this machine has a different one. A node that finds its own id in the
    /// database knows that the earlier node with this id has ended, because only one process at a
    /// time can hold the directory's lock.
    ///
    /// The id is derived from the machine's boot id, which only Linux has, and from the identity of
    /// the lock file on its disk. On Linux, it therefore changes with each boot. If the file system
    /// does not assign ids to files, each call returns a new random id.
    UUID home() throws IOException {
        @Nullable Object place =
                Files.readAttributes(path.resolve("lock"), BasicFileAttributes.class).fileKey();
        return place == null
                ? UUID.randomUUID()
                : UUID.nameUUIDFromBytes((bootId() + place).getBytes(StandardCharsets.UTF_8));
    }

    private static String bootId() {
        try {
            return Files.readString(BOOT_ID_FILE).strip();
        } catch (IOException e) {
            return ""; // only Linux has this file
        }
    }

    /// Returns the master key stored in a data directory, or empty if there is none. Does not lock
    /// the directory.
    static Optional<Secret> storedMasterKey(Path path) throws IOException {
        var file = path.resolve(MASTER_KEY_FILE);
        return Files.exists(file)
                ? Optional.of(new Secret(Files.readString(file).strip()))
                : Optional.empty();
    }

    /// Returns the master key stored in this directory, creating it on first use.
    Secret masterKey(SecretGenerator random) throws IOException {
        return new Secret(
                readOrWrite(
                        MASTER_KEY_FILE,
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
            // The operating system releases the lock when the process ends.
        }
    }
}
