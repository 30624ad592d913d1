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

/// The server's first process, from which all others descend. It outlives us if we are killed.
final class Postmaster {

    private static final Logger log = LoggerFactory.getLogger(Postmaster.class);

    /// After a crash the server first replays its WAL, at most `max_wal_size` of it and a little
    /// more.
    private static final Duration LONGEST_START = Duration.ofMinutes(10);

    private static final Duration LONGEST_STOP = Duration.ofSeconds(60);

    private static final Duration GLANCE = Duration.ofMillis(10);

    /// What we started: the postmaster itself, or the tool that waits for it.
    private final Process process;

    private final long pid;

    private Postmaster(Process process, long pid) {
        this.process = process;
        this.pid = pid;
    }

    /// Starts the server and waits until it accepts connections.
    static Postmaster start(Installation installation, ServerSettings settings)
            throws InterruptedException {
        var home = installation.home();
        settings.write(home);
        var before = PidFile.of(home);
        long logged = home.log().toFile().length();
        var process = launch(installation);
        try {
            return new Postmaster(process, awaitReady(process, home, before, logged));
        } catch (InterruptedException | PostgresRefusal e) {
            process.destroy();
            process.waitFor(LONGEST_STOP);
            throw e;
        }
    }

    private static Process launch(Installation installation) throws InterruptedException {
        var home = installation.home();
        // The cluster's path stands in the arguments: by it `isServerOf` knows the process again.
        var command =
                List.of(
                        installation.binaries().program("postgres"),
                        "-D",
                        home.cluster().toString(),
                        "-c",
                        "config_file=" + home.configuration());
        try {
            return Run.prepare(detached(installation.way().wrap(command), home), home.directory())
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(home.log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new PostgresRefusal("PostgreSQL can't be started: " + e.getMessage() + ".", e);
        }
    }

    /// Ctrl-C on our terminal must not reach the server: it is stopped last, and by us. macOS has
    /// no `setsid`.
    private static List<String> detached(List<String> command, Home home)
            throws InterruptedException {
        boolean hasSetsid = Run.of(List.of("setsid", "true"), home.directory()).succeeded();
        var prefix =
                hasSetsid
                        ? List.of("setsid")
                        : List.of("perl", "-MPOSIX", "-e", "POSIX::setsid(); exec @ARGV");
        var detached = new ArrayList<String>(prefix);
        detached.addAll(command);
        return detached;
    }

    /// The process id, once the server has written there that it is ready. `before` is what a
    /// killed one had written.
    private static long awaitReady(
            Process process, Home home, Optional<PidFile> before, long logged)
            throws InterruptedException {
        for (long glances = LONGEST_START.dividedBy(GLANCE); glances > 0; glances--) {
            if (process.waitFor(GLANCE)) {
                throw new PostgresRefusal(
                        "PostgreSQL ended at its start. See %s:%n%s"
                                .formatted(home.log(), tail(home, logged)));
            }
            var now = PidFile.of(home).filter(PidFile::isReady);
            if (now.isPresent() && !now.equals(before)) {
                return now.get().pid();
            }
        }
        throw new PostgresRefusal(
                "PostgreSQL was not ready after %d minutes. See %s."
                        .formatted(LONGEST_START.toMinutes(), home.log()));
    }

    private static String tail(Home home, long from) {
        try (var file = new RandomAccessFile(home.log().toFile(), "r")) {
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

    /// False when it has ended before `time` was over.
    boolean outlives(Duration time) throws InterruptedException {
        return !process.waitFor(time);
    }

    int awaitExit() throws InterruptedException {
        return process.waitFor();
    }

    /// Ends all sessions, writes everything to disk, and ends.
    void stop(Home home) throws InterruptedException {
        if (!process.isAlive()) {
            return;
        }
        interrupt(pid, home);
        if (!process.waitFor(LONGEST_STOP)) {
            log.atWarn().addKeyValue("pid", pid).log("postgres.stop_unfinished");
        }
    }

    /// Stops the server that an earlier run of ours has left on this cluster, if there is one.
    ///
    /// The caller holds the lock of the data directory, so nobody else can be using that server. A
    /// file that then still names a process is removed, because PostgreSQL would take that for a
    /// server: it is a zombie, or another program that was given the same process id. A file that
    /// names nobody is PostgreSQL's to judge.
    static void stopLeftover(Home home) throws InterruptedException {
        var named = PidFile.of(home).flatMap(file -> ProcessHandle.of(file.pid()));
        if (named.isEmpty()) {
            return;
        }
        var process = named.get();
        if (isServerOf(home, process)) {
            interrupt(process.pid(), home);
            awaitEnd(home, process);
            log.atWarn().addKeyValue("pid", process.pid()).log("postgres.leftover_stopped");
        }
        if (home.cluster().resolve("postmaster.pid").toFile().delete()) {
            log.atWarn().addKeyValue("pid", process.pid()).log("postgres.stale_pid_file_removed");
        }
    }

    private static boolean isServerOf(Home home, ProcessHandle process) {
        return process.info()
                .arguments()
                .map(List::of)
                .orElse(List.of())
                .contains(home.cluster().toString());
    }

    /// Looks at the arguments, which a zombie has lost: nobody may ask for its exit code for long,
    /// and it is not ours to ask.
    private static void awaitEnd(Home home, ProcessHandle server) throws InterruptedException {
        for (long glances = LONGEST_STOP.dividedBy(GLANCE); glances > 0; glances--) {
            if (!isServerOf(home, server)) {
                return;
            }
            new Pause(GLANCE).await();
        }
        throw new PostgresRefusal(
                "PostgreSQL of an earlier run (process %d) does not stop. Stop it, then start Sluice again."
                        .formatted(server.pid()));
    }

    /// Java can only send SIGTERM, on which PostgreSQL would wait for its clients. Root may signal
    /// whoever runs it.
    private static void interrupt(long pid, Home home) throws InterruptedException {
        var run = Run.of(List.of("sh", "-c", "kill -INT " + pid), home.directory());
        if (!run.succeeded()) {
            log.atWarn()
                    .addKeyValue("pid", pid)
                    .addKeyValue("reason", run.output())
                    .log("postgres.signal_failed");
        }
    }
}
