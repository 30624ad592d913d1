package dev.sluice.platform.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DSYNC;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;

/// Files that only their owner may read.
public final class PrivateFile {

    private PrivateFile() {}

    /// Writes the file, or replaces it, whole or not at all; on disk when it returns.
    public static void write(Path file, String text) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        try (var out =
                Files.newByteChannel(fresh, EnumSet.of(CREATE_NEW, WRITE, DSYNC), owner(file))) {
            out.write(ByteBuffer.wrap(text.getBytes(UTF_8)));
        }
        Files.move(fresh, file, ATOMIC_MOVE);
    }

    private static FileAttribute<?>[] owner(Path file) throws IOException {
        boolean hasModes =
                Files.getFileStore(file.toAbsolutePath().getParent())
                        .supportsFileAttributeView("posix");
        return hasModes
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }
}
