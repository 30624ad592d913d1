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

/// The folder that an embedded server lives in, and where things stand in it.
///
/// The folder is ours, and others may only pass through it. PostgreSQL's own account, where it has
/// one, owns `cluster` and nothing else.
///
/// @param directory by its real path, so that a server started from it can be told by its arguments
record Home(Path directory) {

    private static final Logger log = LoggerFactory.getLogger(Home.class);

    /// What the binaries (60 MB), an empty cluster (40 MB) and the first WAL files need.
    private static final long LEAST_SPACE = 200L << 20;

    private static final long LONGEST_LOG = 10L << 20;

    static Home at(Path directory) {
        try {
            Files.createDirectories(directory);
            var home = new Home(directory.toRealPath());
            home.checkPath();
            home.checkStore();
            permit(home.directory, "rwx--x--x");
            home.turnLog();
            return home;
        } catch (IOException e) {
            throw new PostgresRefusal(
                    directory
                            + " can't be used for the database: "
                            + e
                            + ". Give Sluice a folder it may write.",
                    e);
        }
    }

    /// PostgreSQL's data directory.
    Path cluster() {
        return directory.resolve("cluster");
    }

    Path configuration() {
        return directory.resolve("postgresql.conf");
    }

    Path log() {
        return directory.resolve("postgres.log");
    }

    Note password() {
        return new Note(directory.resolve("password"));
    }

    Note port() {
        return new Note(directory.resolve("port"));
    }

    /// The label of the [Way] that worked last.
    Note way() {
        return new Note(directory.resolve("run-as"));
    }

    static void permit(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    static void delete(Path tree) throws IOException {
        if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(tree)) {
            paths.sorted(Comparator.reverseOrder()).forEach(Home::deleteOne);
        }
    }

    private static void deleteOne(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// `initdb` hands its own path to a shell, between double quotes.
    private void checkPath() {
        if (directory.toString().matches("(?s).*[\"$`\\\\\n].*")) {
            throw new PostgresRefusal(
                    "PostgreSQL can't live in %s: its path has one of \" $ ` \\ in it. Set SLUICE_DATA_DIR to another folder."
                            .formatted(directory));
        }
    }

    private void checkStore() throws IOException {
        var store = Files.getFileStore(directory);
        checkSpace(store.getUsableSpace());
        if (store.type().equals("tmpfs") || store.type().equals("ramfs")) {
            log.atWarn().addKeyValue("directory", directory).log("postgres.data_in_memory");
        }
    }

    void checkSpace(long usable) {
        if (usable < LEAST_SPACE) {
            throw new PostgresRefusal(
                    "%s has %d MB left, and the database needs %d MB to start. Make room, or set SLUICE_DATA_DIR to a folder on a larger disk."
                            .formatted(directory, usable >> 20, LEAST_SPACE >> 20));
        }
    }

    /// The server only ever appends; a log that has grown long is put aside once, over the one
    /// before.
    private void turnLog() throws IOException {
        if (Files.exists(log()) && Files.size(log()) > LONGEST_LOG) {
            Files.move(log(), log().resolveSibling("postgres.log.1"), REPLACE_EXISTING);
        }
        if (!Files.exists(log())) {
            Files.createFile(log());
        }
        permit(log(), "rw-------");
    }
}
