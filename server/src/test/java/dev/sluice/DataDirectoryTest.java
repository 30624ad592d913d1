package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;

/// The data directory as other users of the machine see it.
class DataDirectoryTest {

    @TempDir private Path parent;

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void others_may_pass_through_and_read_nothing() throws IOException {
        var path = parent.resolve("data");
        try (var sluice = RunningSluice.start(path)) {
            assertThat(mode(path)).isEqualTo("rwx--x--x");
            assertThat(mode(path.resolve("lock"))).isEqualTo("rw-------");
            assertThat(mode(path.resolve("wire.slots"))).isEqualTo("rw-------");
            assertThat(sluice.port()).isPositive();
        }
    }

    @Test
    void a_directory_is_the_same_home_after_its_process_died() throws IOException {
        var path = parent.resolve("data");
        UUID first;
        try (var opened = DataDirectory.open(path)) {
            first = opened.home();
        }
        try (var opened = DataDirectory.open(path)) {
            assertThat(opened.home()).isEqualTo(first);
        }
    }

    @Test
    void a_copy_of_a_directory_is_another_home() throws IOException {
        var path = parent.resolve("data");
        var copy = Files.createDirectory(parent.resolve("copy"));
        try (var opened = DataDirectory.open(path)) {
            Files.copy(path.resolve("lock"), copy.resolve("lock"));
            try (var other = DataDirectory.open(copy)) {
                assertThat(other.home()).isNotEqualTo(opened.home());
            }
        }
    }

    @Test
    void a_directory_made_by_an_earlier_version_is_closed_to_others() throws IOException {
        var path = Files.createDirectory(parent.resolve("data"));
        var lock = Files.createFile(path.resolve("lock"));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(lock, PosixFilePermissions.fromString("rw-r--r--"));

        try (var opened = DataDirectory.open(path)) {
            assertThat(opened.initialCredentialsFile()).isEqualTo(path.resolve("first-start.txt"));
            assertThat(mode(path)).isEqualTo("rwx--x--x");
            assertThat(mode(lock)).isEqualTo("rw-------");
        }
    }
}
