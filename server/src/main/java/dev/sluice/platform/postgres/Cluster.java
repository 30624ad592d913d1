package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The data directory: made once, then only looked at.
final class Cluster {

    static final String USER = "sluice";
    static final String DATABASE = "sluice";

    private final Home home;

    Cluster(Home home) {
        this.home = home;
    }

    boolean exists() {
        return Files.exists(home.cluster());
    }

    /// Refuses data that these binaries can't read: there is no way to carry it over from here.
    void checkVersion() {
        String found = writtenBy();
        if (!found.equals(Binaries.MAJOR)) {
            throw new PostgresRefusal(
                    """
                    The data in %s was written by PostgreSQL %s, and this Sluice carries PostgreSQL %s, which can't read it. \
                    Start the release of Sluice that wrote it; or run pg_upgrade on it with a PostgreSQL of your own \
                    and set SLUICE_DATABASE_URL to that.\
                    """
                            .formatted(home.cluster(), found, Binaries.MAJOR));
        }
    }

    private String writtenBy() {
        try {
            return Files.readString(home.cluster().resolve("PG_VERSION"), UTF_8).strip();
        } catch (IOException e) {
            throw new PostgresRefusal(
                    home.cluster()
                            + " is no PostgreSQL data directory: PG_VERSION can't be read. Restore"
                            + " it from a backup.",
                    e);
        }
    }

    /// Makes the cluster with its user and database. It gets its name when it is complete, so a
    /// failed run leaves nothing that could be taken for one.
    Run initialise(Binaries binaries, Way way, String password) throws InterruptedException {
        Path making = home.directory().resolve("cluster.new");
        Path passwordFile = home.directory().resolve("cluster.new.password");
        try {
            Home.delete(making);
            Files.createDirectory(making);
            Home.permit(making, "rwx------");
            way.own(making);
            new Note(passwordFile).write(password);
            way.own(passwordFile);
            var run = initdb(binaries, way, making, passwordFile);
            if (run.succeeded()) {
                run = createDatabase(binaries, way, making);
            }
            if (run.succeeded()) {
                // Ours stands outside, where PostgreSQL's account can't write.
                Files.delete(making.resolve("postgresql.conf"));
                Files.move(making, home.cluster(), ATOMIC_MOVE);
            }
            return run;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            passwordFile.toFile().delete();
        }
    }

    /// The built-in locale depends on no library of the machine, so an upgrade there can't spoil
    /// indexes.
    private Run initdb(Binaries binaries, Way way, Path making, Path passwordFile)
            throws InterruptedException {
        var command =
                List.of(
                        binaries.program("initdb"),
                        "--pgdata=" + making,
                        "--username=" + USER,
                        "--pwfile=" + passwordFile,
                        "--auth=scram-sha-256",
                        "--encoding=UTF8",
                        "--locale=C",
                        "--locale-provider=builtin",
                        "--builtin-locale=C.UTF-8",
                        "--data-checksums");
        return Run.of(way.wrap(command), home.directory());
    }

    /// In single-user mode, which needs neither port nor password. It exits with 0 whatever a
    /// statement came to.
    private Run createDatabase(Binaries binaries, Way way, Path making)
            throws InterruptedException {
        var command =
                List.of(
                        binaries.program("postgres"),
                        "--single",
                        "-D",
                        making.toString(),
                        "postgres");
        var run = Run.of(way.wrap(command), home.directory(), "create database " + DATABASE + "\n");
        boolean failed = run.output().contains("ERROR:") || run.output().contains("FATAL:");
        return failed && run.succeeded() ? new Run(1, run.output()) : run;
    }
}
