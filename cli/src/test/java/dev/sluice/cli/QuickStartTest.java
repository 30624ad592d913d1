package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.LauncherScripts;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;

/// Tests the cache that makes the command line tool start quickly, in a distribution of its own.
class QuickStartTest {

    private static final Pattern LIBRARY =
            Pattern.compile("(jackson-[a-z-]+|picocli|snakeyaml-engine)-\\d.*\\.jar");

    @TempDir private Path folder;

    private Path lib;
    private Path cache;

    @BeforeEach
    void makeDistribution() throws IOException, URISyntaxException {
        lib = Files.createDirectories(folder.resolve("lib").resolve("cli"));
        cache = lib.resolve("quick.aot");
        makeJar("one build");
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            var jar = Path.of(entry);
            if (LIBRARY.matcher(jar.getFileName().toString()).matches()) {
                Files.copy(
                        jar,
                        lib.resolve(jar.getFileName()),
                        StandardCopyOption.COPY_ATTRIBUTES,
                        StandardCopyOption.REPLACE_EXISTING);
            }
        }
        LauncherScripts.copyTo(folder);
    }

    /// Makes the jar of the command line tool, older than every cache. The JVM uses no cache with
    /// folders of classes.
    private void makeJar(String build) throws IOException, URISyntaxException {
        var classes =
                Path.of(
                        SluiceCommand.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        var jar = lib.resolve("sluice-cli-0.jar");
        try (var out = new JarOutputStream(Files.newOutputStream(jar));
                var files = Files.walk(classes)) {
            for (var file : files.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
            out.putNextEntry(new JarEntry("build"));
            out.write(build.getBytes(UTF_8));
        }
        Files.setLastModifiedTime(jar, FileTime.from(Instant.EPOCH));
    }

    @Test
    void the_build_makes_a_cache_that_every_start_uses() throws Exception {
        var prepared = run(Map.of(), "--prepare");
        assertThat(prepared).isEqualTo(new CliRun(0, "", ""));
        var made = Files.getLastModifiedTime(cache);
        var loaded = folder.resolve("loaded");

        var version =
                run(Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + loaded), "version");

        assertThat(version.status()).as(version.err()).isZero();
        assertThat(version.out()).startsWith("sluice ");
        assertThat(Files.readString(loaded).lines())
                .filteredOn(line -> line.contains(SluiceCommand.class.getName() + " "))
                .singleElement()
                .asString()
                .contains("source: shared objects file");
        assertThat(Files.getLastModifiedTime(cache)).as("made once").isEqualTo(made);
    }

    @Test
    void without_a_cache_the_first_start_makes_one() throws Exception {
        assertVersion(run(Map.of(), "version"));

        assertThat(cache).isNotEmptyFile();
    }

    @Test
    void the_cache_of_another_build_is_ignored_without_a_word() throws Exception {
        run(Map.of(), "--prepare");
        makeJar("another build, with a jar of another size");

        assertVersion(run(Map.of(), "version"));
    }

    @Test
    void a_cache_that_was_made_in_another_place_is_made_anew() throws Exception {
        run(Map.of(), "--prepare");
        Files.setLastModifiedTime(cache, FileTime.from(Instant.EPOCH.plusSeconds(1)));
        var moved = Files.createDirectory(folder.resolve("moved"));
        for (String part : List.of("bin", "lib")) {
            Files.move(folder.resolve(part), moved.resolve(part));
        }

        assertVersion(run(moved, Map.of(), "version"));

        assertThat(Files.getLastModifiedTime(moved.resolve(folder.relativize(cache))).toInstant())
                .isAfter(Instant.EPOCH.plusSeconds(1));
    }

    @Test
    void a_cache_that_was_made_in_another_place_and_cannot_be_made_anew_is_not_used()
            throws Exception {
        run(Map.of(), "--prepare");
        Files.writeString(lib.resolve("quick.aot.home"), "/elsewhere\n");
        var loaded = folder.resolve("loaded");
        var options = Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + loaded);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(lib, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            var version = run(options, "version");
            assertThat(version.status()).as(version.err()).isZero();
        } finally {
            Files.setPosixFilePermissions(lib, PosixFilePermissions.fromString("rwxr-xr-x"));
        }

        assertThat(Files.readString(loaded).lines())
                .filteredOn(line -> line.contains(SluiceCommand.class.getName() + " "))
                .singleElement()
                .asString()
                .doesNotContain("shared objects file");
    }

    @Test
    void a_file_that_is_no_cache_is_ignored_without_a_word() throws Exception {
        Files.write(cache, new byte[10_000]);

        assertVersion(run(Map.of(), "version"));
    }

    @Test
    void a_tree_that_may_not_be_written_stays_as_it_is() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(lib, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            assertVersion(run(Map.of(), "version"));

            assertThat(lib).isDirectoryNotContaining("glob:**quick*");
        } finally {
            Files.setPosixFilePermissions(lib, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    private static void assertVersion(CliRun run) {
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).startsWith("sluice ");
        assertThat(run.err()).isEmpty();
    }

    private CliRun run(Map<String, String> variables, String... arguments) throws Exception {
        return run(folder, variables, arguments);
    }

    private CliRun run(Path home, Map<String, String> variables, String... arguments)
            throws Exception {
        var command = new ArrayList<String>();
        boolean isWritable =
                Files.getPosixFilePermissions(home.resolve("lib").resolve("cli"))
                        .contains(PosixFilePermission.OWNER_WRITE);
        if (!isWritable && System.getProperty("user.name").equals("root")) {
            // Permissions do not hold root back.
            command.addAll(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        }
        command.add(home.resolve("bin").resolve("sluice").toString());
        command.addAll(List.of(arguments));
        var err = folder.resolve("err.log");
        var builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(variables);
        var process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        return new CliRun(process.waitFor(), out, Files.readString(err));
    }
}
