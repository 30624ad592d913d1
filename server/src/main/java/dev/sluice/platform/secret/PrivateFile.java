package dev.sluice.platform.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DSYNC;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/// Writes and opens files that only their owner can access, and creates the directory for them.
public final class PrivateFile {

    private static final String OWNER_ONLY = "rw-------";
    private static final String OWNER_AND_PASSAGE = "rwx--x--x";

    private PrivateFile() {}

    /// Creates or replaces the file atomically. The text has been flushed to disk when this method
    /// returns.
    ///
    /// On a file system without POSIX permissions, the default permissions apply.
    public static void write(Path file, String text) throws IOException {
        Path replacement = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(replacement);
        try (var out =
                Files.newByteChannel(
                        replacement, EnumSet.of(CREATE_NEW, WRITE, DSYNC), ownerOnly(file))) {
            out.write(ByteBuffer.wrap(text.getBytes(UTF_8)));
        }
        Files.move(replacement, file, ATOMIC_MOVE);
    }

    /// Opens the file so that only its owner has access. If an existing file has wider permissions,
    /// they are narrowed.
    ///
    /// @throws FileSystemException if the file cannot be opened, or if its permissions cannot be
    ///   narrowed because it belongs to another user, who could then read or lock it
    public static FileChannel open(Path file, Set<? extends OpenOption> options)
            throws IOException {
        var channel = FileChannel.open(file, options, ownerOnly(file));
        try {
            if (!restrict(file, OWNER_ONLY)) {
                throw new FileSystemException(
                        file.toString(),
                        null,
                        "belongs to "
                                + Files.getOwner(file).getName()
                                + " and cannot be made private. Delete it, or make the user that"
                                + " runs Sluice its owner");
            }
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /// Creates the directory if it does not exist. Other users may enter it but not list it,
    /// because the user that runs an embedded database must be able to reach its own subdirectory.
    /// A directory that belongs to another user, such as a mounted volume, keeps its permissions.
    public static void createDirectory(Path directory) throws IOException {
        Files.createDirectories(directory);
        boolean _ = restrict(directory, OWNER_AND_PASSAGE);
    }

    /// Sets the permissions of a file, if its file system has POSIX permissions. Returns false if
    /// they cannot be set, usually because the file belongs to another user.
    private static boolean restrict(Path file, String permissions) throws IOException {
        if (hasModes(file)) {
            try {
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
            } catch (FileSystemException e) {
                return false;
            }
        }
        return true;
    }

    private static FileAttribute<?>[] ownerOnly(Path file) throws IOException {
        return hasModes(file)
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString(OWNER_ONLY))
                }
                : new FileAttribute<?>[0];
    }

    private static boolean hasModes(Path file) throws IOException {
        return Files.getFileStore(file.toAbsolutePath().getParent())
                .supportsFileAttributeView("posix");
    }
}
