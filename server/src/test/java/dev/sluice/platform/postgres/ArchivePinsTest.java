package dev.sluice.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

class ArchivePinsTest {

    @Test
    void every_platform_that_the_server_runs_on_has_a_hash() {
        assertThat(ArchivePins.ofThisBuild().hashes())
                .containsOnlyKeys(
                        "postgres-linux-x86_64.txz",
                        "postgres-linux-arm_64.txz",
                        "postgres-darwin-x86_64.txz",
                        "postgres-darwin-arm_64.txz")
                .allSatisfy((_, hash) -> assertThat(hash).matches("[0-9a-f]{64}"));
    }

    @Test
    void the_packaged_archive_is_the_pinned_one() throws IOException {
        try (var archive = Binaries.open(Binaries.archive())) {
            ArchivePins.ofThisBuild().check(Binaries.archive(), archive);
        }
    }

    @Test
    void one_changed_byte_is_refused() throws IOException {
        byte[] bytes = packaged();
        bytes[bytes.length / 2] ^= 1;

        refused(Binaries.archive(), new ByteArrayInputStream(bytes));
    }

    @Test
    void bytes_at_the_end_are_refused() throws IOException {
        byte[] bytes = packaged();

        refused(
                Binaries.archive(),
                new ByteArrayInputStream(java.util.Arrays.copyOf(bytes, bytes.length + 1)));
    }

    @Test
    void an_archive_without_a_hash_is_refused() {
        refused("postgres-plan9-mips.txz", new ByteArrayInputStream(new byte[0]));
    }

    private static byte[] packaged() throws IOException {
        try (var archive = Binaries.open(Binaries.archive())) {
            return archive.readAllBytes();
        }
    }

    private static void refused(String name, InputStream archive) {
        assertThatThrownBy(() -> ArchivePins.ofThisBuild().check(name, archive))
                .isInstanceOf(PostgresStartException.class)
                .hasMessageContaining("was not unpacked");
    }
}
