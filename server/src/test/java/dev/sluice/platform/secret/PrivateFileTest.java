package dev.sluice.platform.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

class PrivateFileTest {

    @TempDir private Path directory;

    @Test
    void a_file_that_was_open_to_others_is_closed_to_them() throws IOException {
        var file = Files.createFile(directory.resolve("lock"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));

        try (var channel = PrivateFile.open(file, Set.of(StandardOpenOption.WRITE))) {
            assertThat(channel.isOpen()).isTrue();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
    }

    /// Nobody may change the permissions of this file, as with one of another user.
    @Test
    @EnabledOnOs(OS.LINUX)
    void a_file_that_cannot_be_made_private_is_refused() {
        var file = Path.of("/proc/self/comm");

        assertThatThrownBy(() -> PrivateFile.open(file, Set.of(StandardOpenOption.WRITE)))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("/proc/self/comm: belongs to ")
                .hasMessageContaining("Delete it, or make the user that runs Sluice its owner");
    }
}
