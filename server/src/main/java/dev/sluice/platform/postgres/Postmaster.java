package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A running PostgreSQL server, represented by its postmaster, the parent of all its other
/// processes. The server keeps running if Sluice is killed.
final class Postmaster {

    private static final Logger log = LoggerFactory.getLogger(Postmaster.class);

    /// How long the server may take to start. After a crash it first replays its write-ahead log,
    /// which may be slightly larger than `max_wal_size`.
    private static final Duration START_TIMEOUT = Duration.ofMinutes(10);

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

    /// The process that Java started: the postmaster itself, or a wrapper process that exits when
    /// the postmaster does.
    private final Process process;

    private final long pid;

    private Postmaster(Process process, long pid) {
        this.process = process;
        this.pid = pid;
    }

    /// Starts the server and waits until it accepts connections.
    static Postmaster start(Installation installation, PostgresSettings settings)
            throws InterruptedException {
        var postgresDirectory = installation.postgresDirectory();
        settings.write(postgresDirectory);
        var previous = PidFile.of(postgresDirectory);
        long logStart = postgresDirectory.log().toFile().length();
        var process = launch(installation);
        try {
            return new Postmaster(
                    process, awaitReady(process, postgresDirectory, previous, logStart));
        } catch (InterruptedException | PostgresStartException e) {
            process.destroy();
            process.waitFor(STOP_TIMEOUT);
            throw e;
        }
    }

    private static Process launch(Installation installation) throws InterruptedException {
        var postgresDirectory = installation.postgresDirectory();
        // `isServerOf` recognizes the server process by the cluster's path in its arguments.
        var command =
                List.of(
                        installation.binaries().program("postgres"),
                        "-D",
                        postgresDirectory.cluster().toString(),
                        "-c",
                        "config_file=" + postgresDirectory.configuration());
        try {
            return CommandResult.prepare(
                            detached(installation.runAs().wrap(command), postgresDirectory),
                            postgresDirectory.path())
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectErrorStream(true)
                    .redirectOutput(
                            ProcessBuilder.Redirect.appendTo(postgresDirectory.log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new PostgresStartException(
                    "PostgreSQL can't be started: " + e.getMessage() + ".", e);
        }
    }

    /// Returns the command with a prefix that runs it in a new session. Without the new session,
    /// Ctrl-C on Sluice's terminal would also reach the server, which must stop last. `perl` is
    /// used where `setsid` is missing, as on macOS.
    private static List<String> detached(List<String> command, PostgresDirectory postgresDirectory)
            throws InterruptedException {
        boolean hasSetsid =
                CommandResult.run(List.of("setsid", "true"), postgresDirectory.path()).succeeded();
        var prefix =
                hasSetsid
                        ? List.of("setsid")
                        : List.of("perl", "-MPOSIX", "-e", "POSIX::setsid(); exec @ARGV");
        var detached = new ArrayList<String>(prefix);
        detached.addAll(command);
        return detached;
    }

    /// Waits until the pid file says that the server is ready, and returns the server's process id.
    /// Throws a [PostgresStartException] if the server exits or is not ready in time.
    ///
    /// @param previous the pid file that existed before this start, left behind by a killed server;
    ///   empty if there was none
    private static long awaitReady(
            Process process,
            PostgresDirectory postgresDirectory,
            Optional<PidFile> previous,
            long logStart)
            throws InterruptedException {
        for (long polls = START_TIMEOUT.dividedBy(POLL_INTERVAL); polls > 0; polls--) {
            if (process.waitFor(POLL_INTERVAL)) {
                throw new PostgresStartException(
                        "PostgreSQL exited while it was starting. See %s:%n%s"
                                .formatted(
                                        postgresDirectory.log(),
                                        tail(postgresDirectory, logStart)));
            }
            var now = PidFile.of(postgresDirectory).filter(PidFile::isReady);
            if (now.isPresent() && !now.equals(previous)) {
                return now.get().pid();
            }
        }
        throw new PostgresStartException(
                "PostgreSQL was not ready after %d minutes. See %s."
                        .formatted(START_TIMEOUT.toMinutes(), postgresDirectory.log()));
    }

    private static String tail(PostgresDirectory postgresDirectory, long from) {
        try (var file = new RandomAccessFile(postgresDirectory.log().toFile(), "r")) {
            file.seek(Math.max(from, file.length() - 2000));
            byte[] bytes = new byte[(int) (file.length() - file.getFilePointer())];
            file.readFully(bytes);
            return new String(bytes, UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return pid;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /// Waits for `time`. Returns false if the server exits earlier.
    boolean outlives(Duration time) throws InterruptedException {
        return !process.waitFor(time);
    }

    int awaitExit() throws InterruptedException {
        return process.waitFor();
    }

    /// Ends all sessions, flushes everything to disk, and waits up to a minute for the server to
    /// exit.
    void stop(PostgresDirectory postgresDirectory) throws InterruptedException {
        if (!process.isAlive()) {
            return;
        }
        interrupt(pid, postgresDirectory);
        if (!process.waitFor(STOP_TIMEOUT)) {
            log.atWarn().addKeyValue("pid", pid).log("postgres.stop_failed");
        }
    }

    /// Stops any server that an earlier run left running on this cluster.
    ///
    /// The caller must hold the lock on the data directory, so that no other process uses that
    /// server. If the pid file names an existing process, this method then deletes the file. By
    /// then, that process is a zombie or an unrelated program with the same id, and PostgreSQL
    /// would mistake it for a running server. A file that names no existing process is left for
    /// PostgreSQL to handle.
    static void stopLeftover(PostgresDirectory postgresDirectory) throws InterruptedException {
        var named = PidFile.of(postgresDirectory).flatMap(file -> ProcessHandle.of(file.pid()));
        if (named.isEmpty()) {
            return;
        }
        var process = named.get();
        if (isServerOf(postgresDirectory, process)) {
            interrupt(process.pid(), postgresDirectory);
            awaitEnd(postgresDirectory, process);
            log.atWarn().addKeyValue("pid", process.pid()).log("postgres.leftover_stopped");
        }
        if (postgresDirectory.cluster().resolve("postmaster.pid").toFile().delete()) {
            log.atWarn().addKeyValue("pid", process.pid()).log("postgres.stale_pid_file_removed");
        }
    }

    private static boolean isServerOf(PostgresDirectory postgresDirectory, ProcessHandle process) {
        return process.info()
                .arguments()
                .map(List::of)
                .orElse(List.of())
                .contains(postgresDirectory.cluster().toString());
    }

    /// Waits up to a minute for the server to end, and throws a [PostgresStartException] if it does
    /// not. The server counts as ended when its command-line arguments no longer contain the
    /// cluster's path. Waiting for the process to disappear would not work: the server is not a
    /// child process of Sluice, so it may remain a zombie for a long time. A zombie has no
    /// arguments.
    private static void awaitEnd(PostgresDirectory postgresDirectory, ProcessHandle server)
            throws InterruptedException {
        for (long polls = STOP_TIMEOUT.dividedBy(POLL_INTERVAL); polls > 0; polls--) {
            if (!isServerOf(postgresDirectory, server)) {
                return;
            }
            new RestartBackoff(POLL_INTERVAL).await();
        }
        throw new PostgresStartException(
                "The PostgreSQL server of an earlier run (process %d) does not stop. Stop it, then start Sluice again."
                        .formatted(server.pid()));
    }

    /// Sends SIGINT, which makes PostgreSQL perform a fast shutdown: it ends all sessions
    /// (PostgreSQL manual, "Shutting Down the Server"). Java itself can send only SIGKILL and
    /// SIGTERM, and after a SIGTERM PostgreSQL waits for its clients to disconnect.
    private static void interrupt(long pid, PostgresDirectory postgresDirectory)
            throws InterruptedException {
        var result =
                CommandResult.run(
                        List.of("sh", "-c", "kill -INT " + pid), postgresDirectory.path());
        if (!result.succeeded()) {
            log.atWarn()
                    .addKeyValue("pid", pid)
                    .addKeyValue("reason", result.output())
                    .log("postgres.signal_failed");
        }
    }
}
