package dev.sluice.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;

class TarExtractorTest {

    private final ByteArrayOutputStream archive = new ByteArrayOutputStream();

    @TempDir private Path temp;

    private Path target = Path.of("");

    @BeforeEach
    void createTarget() throws IOException {
        target = Files.createDirectory(temp.toRealPath().resolve("target"));
    }

    @Test
    void folders_files_and_links_are_unpacked_with_their_modes() throws IOException {
        folder("bin/", 0755);
        file("bin/tool", 0750, "#!/bin/sh\n");
        file("lib/so.1", 0640, "x".repeat(1000));
        link("lib/so", "so.1");

        unpack();

        assertThat(target.resolve("bin/tool")).hasContent("#!/bin/sh");
        assertThat(mode("bin")).isEqualTo("rwxr-xr-x");
        assertThat(mode("bin/tool")).isEqualTo("rwxr-x---");
        assertThat(mode("lib/so.1")).isEqualTo("rw-r-----");
        assertThat(Files.readSymbolicLink(target.resolve("lib/so"))).hasToString("so.1");
        assertThat(target.resolve("lib/so")).hasContent("x".repeat(1000));
    }

    @Test
    void a_long_name_stands_in_an_entry_of_its_own() throws IOException {
        String name = "a".repeat(80) + "/" + "b".repeat(80);
        entry('L', "././@LongLink", "", 0, name + "\0");
        file(name.substring(0, 100), 0644, "far");

        unpack();

        assertThat(target.resolve(name)).hasContent("far");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../outside",
                "bin/../../outside",
                "/outside",
                "bin/../../target-not/outside"
            })
    void a_name_that_leads_out_is_refused(String name) throws IOException {
        file(name, 0644, "gotcha");

        assertThatThrownBy(this::unpack)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("leads out");
        assertThat(temp.resolve("outside")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"link, ..", "link, /etc", "deep/link, ../../outside"})
    void a_link_that_leads_out_is_refused(String name, String to) throws IOException {
        link(name, to);

        assertThatThrownBy(this::unpack)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("leads out");
        assertThat(Files.exists(target.resolve(name), LinkOption.NOFOLLOW_LINKS)).isFalse();
    }

    @Test
    void nothing_is_written_through_a_link() throws IOException {
        folder("real/", 0755);
        link("link", "real");
        file("link/file", 0644, "gotcha");

        assertThatThrownBy(this::unpack)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("through a link");
        assertThat(target.resolve("real/file")).doesNotExist();
    }

    @Test
    void a_file_does_not_replace_what_is_there() throws IOException {
        link("file", "other");
        file("file", 0644, "gotcha");

        assertThatThrownBy(this::unpack).isInstanceOf(IOException.class);
        assertThat(target.resolve("other")).doesNotExist();
    }

    @Test
    void a_device_is_refused() throws IOException {
        entry('3', "null", "", 0666, "");

        assertThatThrownBy(this::unpack)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("kind");
    }

    @Test
    void an_archive_that_ends_too_early_is_refused() throws IOException {
        file("file", 0644, "x".repeat(2000));
        byte[] half = Arrays.copyOf(archive.toByteArray(), 1024);

        assertThatThrownBy(() -> TarExtractor.unpack(new ByteArrayInputStream(half), target))
                .isInstanceOf(IOException.class);
    }

    private void unpack() throws IOException {
        TarExtractor.unpack(new ByteArrayInputStream(archive.toByteArray()), target);
    }

    private String mode(String path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(target.resolve(path)));
    }

    private void folder(String name, int mode) throws IOException {
        entry('5', name, "", mode, "");
    }

    private void file(String name, int mode, String content) throws IOException {
        entry('0', name, "", mode, content);
    }

    private void link(String name, String to) throws IOException {
        entry('2', name, to, 0777, "");
    }

    private void entry(char kind, String name, String link, int mode, String content)
            throws IOException {
        byte[] bytes = content.getBytes(UTF_8);
        byte[] header = new byte[512];
        put(header, 0, name);
        put(header, 100, "%07o".formatted(mode));
        put(header, 124, "%011o".formatted(bytes.length));
        header[156] = (byte) kind;
        put(header, 157, link);
        put(header, 257, "ustar  ");
        archive.write(header);
        archive.write(bytes);
        archive.write(new byte[(512 - bytes.length % 512) % 512]);
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }
}
