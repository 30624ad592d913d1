package dev.sluice.platform.postgres;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.READ;

import org.tukaani.xz.XZInputStream;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/// PostgreSQL's programs, unpacked from the class path.
///
/// @param folder with `bin`, `lib` and `share` in it
record Binaries(Path folder) {

    /// Of the archive in the build file: a test compares the two.
    static final String VERSION = "18.6";

    static final String MAJOR = "18";

    /// Unpacks what this release carries if that was not done before, and removes what an earlier
    /// release has left. The folder gets its name when it is complete, so half of one is never
    /// used.
    static Binaries unpackedIn(Home home) {
        Path folder = home.directory().resolve("bin-" + VERSION);
        try {
            if (!Files.isDirectory(folder)) {
                removeOthers(home);
                unpack(folder);
            }
            return new Binaries(folder);
        } catch (IOException e) {
            throw new PostgresRefusal(
                    "PostgreSQL's programs can't be unpacked to "
                            + folder
                            + ": "
                            + e
                            + ". Check the disk.",
                    e);
        }
    }

    /// The path of `postgres` or `initdb`.
    String program(String name) {
        return folder.resolve("bin").resolve(name).toString();
    }

    private static void removeOthers(Home home) throws IOException {
        try (DirectoryStream<Path> others = Files.newDirectoryStream(home.directory(), "bin-*")) {
            for (Path other : others) {
                Home.delete(other);
            }
        }
    }

    private static void unpack(Path folder) throws IOException {
        Path fresh = folder.resolveSibling(folder.getFileName() + ".new");
        Files.createDirectory(fresh);
        Home.permit(fresh, "rwxr-xr-x");
        try (var packed = Binaries.class.getResourceAsStream("/" + archive())) {
            if (packed == null) {
                throw new PostgresRefusal(
                        "This build of Sluice carries no PostgreSQL for this machine (%s). Set SLUICE_DATABASE_URL to a PostgreSQL of your own."
                                .formatted(archive()));
            }
            TarReader.unpack(new XZInputStream(packed), fresh);
        }
        flush(fresh);
        Files.move(fresh, folder, ATOMIC_MOVE);
    }

    /// Or else a power cut soon after could leave the name with empty files behind it. All at once
    /// and at the end: a third of a second, and many times that file by file.
    private static void flush(Path tree) throws IOException {
        try (Stream<Path> paths = Files.walk(tree)) {
            for (Path path :
                    paths.filter(path -> Files.isRegularFile(path, NOFOLLOW_LINKS)).toList()) {
                try (var file = FileChannel.open(path, READ)) {
                    file.force(false);
                }
            }
        }
    }

    private static String archive() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch");
        return "postgres-%s-%s.txz"
                .formatted(
                        system.startsWith("mac") ? "darwin" : system,
                        machine.equals("aarch64") ? "arm_64" : "x86_64");
    }
}
