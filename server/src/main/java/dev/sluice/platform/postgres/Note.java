package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DSYNC;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Optional;

/// A line kept in a file that only we may read. It is replaced whole or not at all.
record Note(Path file) {

    /// Empty when there is no such file, or nothing in it.
    Optional<String> read() {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readString(file, UTF_8).strip())
                    .filter(line -> !line.isEmpty());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(String line) {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        var owner =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try {
            Files.deleteIfExists(fresh);
            try (var out =
                    Files.newByteChannel(fresh, EnumSet.of(CREATE_NEW, WRITE, DSYNC), owner)) {
                out.write(ByteBuffer.wrap((line + "\n").getBytes(UTF_8)));
            }
            Files.move(fresh, file, ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
