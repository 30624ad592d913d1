package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The embedded server's PostgreSQL data directory. It is created once; later starts only check it.
final class DatabaseCluster {

    static final String DATABASE_USER = "sluice";
    static final String DATABASE_NAME = "sluice";

    private final PostgresDirectory postgresDirectory;

    DatabaseCluster(PostgresDirectory postgresDirectory) {
        this.postgresDirectory = postgresDirectory;
    }

    boolean exists() {
        return Files.exists(postgresDirectory.cluster());
    }

    /// Throws if the data was written by another major version of PostgreSQL, because the packaged
    /// version cannot read it. Sluice does not convert data between major versions.
    void checkVersion() {
        String found = majorVersion();
        if (!found.equals(Binaries.POSTGRES_MAJOR_VERSION)) {
            throw new PostgresStartException(
                    """
                    The data in %s was written by PostgreSQL %s, but this release of Sluice includes PostgreSQL %s, which can't read it. \
                    Start the release of Sluice that wrote it, or run pg_upgrade on it with your own PostgreSQL \
                    and set SLUICE_DATABASE_URL to that server.\
                    """
                            .formatted(
                                    postgresDirectory.cluster(),
                                    found,
                                    Binaries.POSTGRES_MAJOR_VERSION));
        }
    }

    private String majorVersion() {
        try {
            return Files.readString(postgresDirectory.cluster().resolve("PG_VERSION"), UTF_8)
                    .strip();
        } catch (IOException e) {
            throw new PostgresStartException(
                    postgresDirectory.cluster()
                            + " is not a PostgreSQL data directory: PG_VERSION can't be read."
                            + " Restore it from a backup.",
                    e);
        }
    }

    /// Creates the cluster with its user and database. The directory gets its final name only when
    /// it is complete, so a failed run leaves nothing that looks like a cluster.
    CommandResult initialise(Binaries binaries, RunAs runAs, String password)
            throws InterruptedException {
        Path newCluster = postgresDirectory.path().resolve("cluster.new");
        Path passwordFile = postgresDirectory.path().resolve("cluster.new.password");
        try {
            PostgresDirectory.delete(newCluster);
            Files.createDirectory(newCluster);
            PostgresDirectory.setPermissions(newCluster, "rwx------");
            runAs.chown(newCluster);
            new StateFile(passwordFile).write(password);
            runAs.chown(passwordFile);
            var result = initdb(binaries, runAs, newCluster, passwordFile);
            if (result.succeeded()) {
                result = createDatabase(binaries, runAs, newCluster);
            }
            if (result.succeeded()) {
                // This file is not used: PostgreSQL is started with a configuration file outside
                // the cluster, in a directory that belongs to Sluice's user.
                Files.delete(newCluster.resolve("postgresql.conf"));
                Files.move(newCluster, postgresDirectory.cluster(), ATOMIC_MOVE);
            }
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            passwordFile.toFile().delete();
        }
    }

    /// Runs `initdb` with the built-in locale provider. That provider does not use the machine's
    /// libraries, so upgrading a library cannot corrupt indexes (PostgreSQL manual, "Locale
    /// Providers").
    private CommandResult initdb(Binaries binaries, RunAs runAs, Path newCluster, Path passwordFile)
            throws InterruptedException {
        var command =
                List.of(
                        binaries.program("initdb"),
                        "--pgdata=" + newCluster,
                        "--username=" + DATABASE_USER,
                        "--pwfile=" + passwordFile,
                        "--auth=scram-sha-256",
                        "--encoding=UTF8",
                        "--locale=C",
                        "--locale-provider=builtin",
                        "--builtin-locale=C.UTF-8",
                        "--data-checksums");
        return CommandResult.run(runAs.wrap(command), postgresDirectory.path());
    }

    /// Creates the database in single-user mode, which needs neither a port nor a password. That
    /// mode exits with 0 even when the statement fails, so its output is searched for errors.
    private CommandResult createDatabase(Binaries binaries, RunAs runAs, Path newCluster)
            throws InterruptedException {
        var command =
                List.of(
                        binaries.program("postgres"),
                        "--single",
                        "-D",
                        newCluster.toString(),
                        "postgres");
        var result =
                CommandResult.run(
                        runAs.wrap(command),
                        postgresDirectory.path(),
                        "create database " + DATABASE_NAME + "\n");
        boolean failed = result.output().contains("ERROR:") || result.output().contains("FATAL:");
        return failed && result.succeeded() ? new CommandResult(1, result.output()) : result;
    }
}
