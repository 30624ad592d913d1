package dev.sluice.platform.postgres;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.READ;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// The PostgreSQL programs of this release: those that a package installed, or those that were
/// unpacked from the class path into a folder.
///
/// @param folder contains `bin`, `lib` and `share`
record Binaries(Path folder) {

    /// The version of the packaged PostgreSQL. It must match the archive named in the build file; a
    /// test compares the two.
    static final String POSTGRES_VERSION = "18.6";

    static final String POSTGRES_MAJOR_VERSION = "18";

    /// The system property that names the folder of the programs that a package installed. The
    /// launcher of a package sets it, and such a package has no archive on the class path.
    static final String INSTALLED_FOLDER = "sluice.postgres.folder";

    /// Returns the programs of the package that this process runs from, or else unpacks them.
    static Binaries find(PostgresDirectory postgresDirectory) {
        return Optional.ofNullable(System.getProperty(INSTALLED_FOLDER))
                .map(folder -> installedIn(Path.of(folder), postgresDirectory))
                .orElseGet(() -> unpackInto(postgresDirectory));
    }

    /// Returns the programs in `folder`, and removes those that an earlier start without a package
    /// unpacked.
    static Binaries installedIn(Path folder, PostgresDirectory postgresDirectory) {
        PostgresDirectory.checkCharacters(folder);
        try {
            removeOthers(postgresDirectory);
            return new Binaries(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the programs. If the folder for this version of PostgreSQL does not exist yet, first
    /// removes the folders of other versions and unpacks the programs.
    ///
    /// The folder gets its final name only when it is complete, so an incomplete folder is never
    /// used.
    private static Binaries unpackInto(PostgresDirectory postgresDirectory) {
        Path folder = postgresDirectory.path().resolve("bin-" + POSTGRES_VERSION);
        try {
            if (!Files.isDirectory(folder)) {
                removeOthers(postgresDirectory);
                unpack(folder);
            }
            return new Binaries(folder);
        } catch (IOException e) {
            throw new PostgresStartException(
                    "Can't unpack PostgreSQL's programs to "
                            + folder
                            + ": "
                            + e
                            + ". Check the disk.",
                    e);
        }
    }

    /// Returns the path of a program, such as `postgres` or `initdb`.
    String program(String name) {
        return folder.resolve("bin").resolve(name).toString();
    }

    private static void removeOthers(PostgresDirectory postgresDirectory) throws IOException {
        try (DirectoryStream<Path> others =
                Files.newDirectoryStream(postgresDirectory.path(), "bin-*")) {
            for (Path other : others) {
                PostgresDirectory.delete(other);
            }
        }
    }

    private static void unpack(Path folder) throws IOException {
        try (var packed = open(archive())) {
            ArchivePins.ofThisBuild().check(archive(), packed);
        }
        Path staging = folder.resolveSibling(folder.getFileName() + ".new");
        Files.createDirectory(staging);
        PostgresDirectory.setPermissions(staging, "rwxr-xr-x");
        try (var packed = open(archive())) {
            TarExtractor.unpackXz(packed, staging);
        }
        flush(staging);
        Files.move(staging, folder, ATOMIC_MOVE);
    }

    /// Opens an archive on the class path.
    static InputStream open(String archive) {
        var packed = Binaries.class.getResourceAsStream("/" + archive);
        if (packed == null) {
            throw new PostgresStartException(
                    "This build of Sluice includes no PostgreSQL for this machine (%s). Set SLUICE_DATABASE_URL to your own PostgreSQL server."
                            .formatted(archive));
        }
        return packed;
    }

    /// Flushes every file to disk. This runs before the folder gets its final name, so that a power
    /// cut cannot leave a folder with that name whose files are empty.
    ///
    /// Flushing all files at the end is many times faster than flushing each file as it is written.
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

    /// Returns the name of the archive for this machine.
    static String archive() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch");
        return "postgres-%s-%s.txz"
                .formatted(
                        system.startsWith("mac") ? "darwin" : system,
                        machine.equals("aarch64") ? "arm_64" : "x86_64");
    }
}
