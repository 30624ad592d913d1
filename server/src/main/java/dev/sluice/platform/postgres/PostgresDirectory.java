package dev.sluice.platform.postgres;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;

/// The directory of an embedded PostgreSQL server, and the paths of the files in it.
///
/// Sluice's user owns the directory. Other users may enter it but not list it. If PostgreSQL runs
/// as a different user, that user owns `cluster` and nothing else.
///
/// @param path the path of the directory. [Postmaster#stopLeftover] needs the real path, because it
///   looks for the path of `cluster` in the command-line arguments of the running server
record PostgresDirectory(Path path) {

    private static final Logger log = LoggerFactory.getLogger(PostgresDirectory.class);

    /// The free space needed to start: the binaries (60 MB), an empty cluster (40 MB) and the first
    /// WAL files.
    private static final long MIN_FREE_BYTES = 200L << 20;

    private static final long MAX_LOG_BYTES = 10L << 20;

    static PostgresDirectory prepare(Path directory) {
        try {
            Files.createDirectories(directory);
            var postgresDirectory = new PostgresDirectory(directory.toRealPath());
            checkCharacters(postgresDirectory.path);
            postgresDirectory.checkFileStore();
            setPermissions(postgresDirectory.path, "rwx--x--x");
            postgresDirectory.rotateLog();
            return postgresDirectory;
        } catch (IOException e) {
            throw new PostgresStartException(
                    directory
                            + " can't be used for the database: "
                            + e
                            + ". Give Sluice a folder that it may write to.",
                    e);
        }
    }

    /// Returns the path of PostgreSQL's data directory.
    Path cluster() {
        return path.resolve("cluster");
    }

    Path configuration() {
        return path.resolve("postgresql.conf");
    }

    Path log() {
        return path.resolve("postgres.log");
    }

    StateFile password() {
        return new StateFile(path.resolve("password"));
    }

    StateFile port() {
        return new StateFile(path.resolve("port"));
    }

    /// Returns the file that contains the label of the [RunAs] that worked last.
    StateFile runAs() {
        return new StateFile(path.resolve("run-as"));
    }

    static void setPermissions(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    static void delete(Path tree) throws IOException {
        if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(tree)) {
            paths.sorted(Comparator.reverseOrder()).forEach(PostgresDirectory::deleteOne);
        }
    }

    private static void deleteOne(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Refuses a folder of data or of programs whose path has characters that a shell interprets
    /// between double quotes, because `initdb` passes both paths to a shell inside double quotes.
    static void checkCharacters(Path folder) {
        if (folder.toString().matches("(?s).*[\"$`\\\\\n].*")) {
            throw new PostgresStartException(
                    "PostgreSQL can't use the folder %s: its path contains one of \" $ ` \\ or a line break. %s"
                            .formatted(
                                    folder,
                                    "Set SLUICE_DATA_DIR to another folder, or move Sluice's own"
                                            + " folder if it is in there."));
        }
    }

    private void checkFileStore() throws IOException {
        var store = Files.getFileStore(path);
        checkSpace(store.getUsableSpace());
        if (store.type().equals("tmpfs") || store.type().equals("ramfs")) {
            log.atWarn().addKeyValue("directory", path).log("postgres.tmpfs_detected");
        }
    }

    void checkSpace(long usable) {
        if (usable < MIN_FREE_BYTES) {
            throw new PostgresStartException(
                    "%s has %d MB left, and the database needs %d MB to start. Make room, or set SLUICE_DATA_DIR to a folder on a larger disk."
                            .formatted(path, usable >> 20, MIN_FREE_BYTES >> 20));
        }
    }

    /// Renames a log larger than 10 MB to `postgres.log.1`, replacing any previous file with that
    /// name, and creates the log if there is none. This runs each time Sluice starts, because the
    /// server itself only appends to its log.
    private void rotateLog() throws IOException {
        if (Files.exists(log()) && Files.size(log()) > MAX_LOG_BYTES) {
            Files.move(log(), log().resolveSibling("postgres.log.1"), REPLACE_EXISTING);
        }
        if (!Files.exists(log())) {
            Files.createFile(log());
        }
        setPermissions(log(), "rw-------");
    }
}
