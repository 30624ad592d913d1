package dev.sluice.platform.postgres;

import dev.sluice.platform.secret.Secret;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/// A PostgreSQL server of our own, on loopback, that is started again whenever it dies.
///
/// Its port and password stay the same while this object lives, so a connection pool needs only to
/// connect again. If this process is killed the server goes on alone, and the next start on the
/// same directory stops it first. Thread-safe.
public final class EmbeddedPostgres implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EmbeddedPostgres.class);

    private static final String HOST = "127.0.0.1";

    /// Children of a killed server hold its memory for a moment, and somebody may have been quicker
    /// at the port.
    private static final int FIRST_ATTEMPTS = 6;

    /// A server that has run for so long is not in a circle of crashes.
    private static final Duration STEADY = Duration.ofMinutes(1);

    private final Installation installation;
    private final ServerSettings settings;
    private final Thread watcher;
    private final CountDownLatch closing = new CountDownLatch(1);

    /// Written by the watcher alone.
    private volatile Postmaster postmaster;

    private EmbeddedPostgres(
            Installation installation, ServerSettings settings, Postmaster postmaster) {
        this.installation = installation;
        this.settings = settings;
        this.postmaster = postmaster;
        this.watcher = Thread.ofPlatform().daemon().name("postgres-watch").unstarted(this::watch);
    }

    /// Starts the server that lives in `directory`, and makes it if there is none.
    ///
    /// The caller holds a lock that keeps a second Sluice from the directory. As root, the
    /// directories above it should let others pass (mode 0711): otherwise only a user namespace can
    /// run PostgreSQL there, and not every container has those.
    ///
    /// @param extraSettings of PostgreSQL, which win over ours
    /// @throws PostgresRefusal with a message that says what is wrong and what to do
    public static EmbeddedPostgres start(Path directory, Map<String, String> extraSettings) {
        if (!directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            throw new PostgresRefusal(
                    "Sluice's own PostgreSQL runs on Linux and macOS. Set SLUICE_DATABASE_URL to a"
                            + " PostgreSQL of yours.");
        }
        return start(directory, extraSettings, Way.all());
    }

    static EmbeddedPostgres start(
            Path directory, Map<String, String> extraSettings, List<Way> ways) {
        try {
            var postgres = firstStart(Installation.prepare(directory, ways), extraSettings);
            postgres.watcher.start();
            log.atInfo()
                    .addKeyValue("pid", postgres.pid())
                    .addKeyValue("port", postgres.port())
                    .addKeyValue("run_as", postgres.installation.way().label())
                    .log("postgres.started");
            return postgres;
        } catch (UncheckedIOException e) {
            throw new PostgresRefusal(
                    "The database can't be started in %s: %s. Check the disk, and that the files are Sluice's."
                            .formatted(directory, e.getCause()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostgresRefusal(
                    "The start of the database was interrupted. Start Sluice again.", e);
        }
    }

    private static EmbeddedPostgres firstStart(Installation installation, Map<String, String> extra)
            throws InterruptedException {
        var pause = Pause.FIRST;
        for (int attempt = 1; ; attempt++) {
            var settings = new ServerSettings(Port.choose(installation.home().port()), extra);
            try {
                return new EmbeddedPostgres(
                        installation, settings, Postmaster.start(installation, settings));
            } catch (PostgresRefusal e) {
                if (attempt == FIRST_ATTEMPTS) {
                    throw e;
                }
            }
            pause.await();
            pause = pause.next();
        }
    }

    /// Where the server of another process listens, and who may ask it.
    public record Address(String host, int port, String database, String user, Secret password) {}

    /// Whether a server ever lived in `directory`. Touches nothing.
    public static boolean livesIn(Path directory) {
        return new Cluster(new Home(directory)).exists();
    }

    /// The server that another process runs in `directory`; empty when it is not ready. Touches
    /// nothing.
    public static Optional<Address> runningIn(Path directory) {
        var home = new Home(directory);
        boolean isReady =
                PidFile.of(home)
                        .filter(PidFile::isReady)
                        .flatMap(file -> ProcessHandle.of(file.pid()))
                        .isPresent();
        return isReady
                ? home.port()
                        .read()
                        .flatMap(port ->
                                home.password()
                                        .read()
                                        .map(password ->
                                                new Address(
                                                        HOST,
                                                        Integer.parseInt(port),
                                                        Cluster.DATABASE,
                                                        Cluster.USER,
                                                        new Secret(password))))
                : Optional.empty();
    }

    public String host() {
        return HOST;
    }

    public int port() {
        return settings.port();
    }

    public String user() {
        return Cluster.USER;
    }

    public String database() {
        return Cluster.DATABASE;
    }

    public Secret password() {
        return installation.password();
    }

    /// False while a server that died is being started again.
    public boolean isRunning() {
        return postmaster.isAlive();
    }

    /// The process id of the postmaster, which changes when it is started again.
    public long pid() {
        return postmaster.pid();
    }

    private void watch() {
        try {
            var pause = Pause.FIRST;
            while (true) {
                if (postmaster.outlives(STEADY)) {
                    pause = Pause.FIRST;
                }
                int exit = postmaster.awaitExit();
                log.atWarn()
                        .addKeyValue("pid", postmaster.pid())
                        .addKeyValue("exit", exit)
                        .log("postgres.died");
                pause = startAgain(pause);
                log.atWarn().addKeyValue("pid", postmaster.pid()).log("postgres.restarted");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closing
        }
    }

    /// Tries until it works. Returns the pause to begin with if the new server dies soon.
    private Pause startAgain(Pause first) throws InterruptedException {
        var pause = first;
        while (pause.endsBefore(closing)) {
            pause = pause.next();
            try {
                Postmaster.stopLeftover(installation.home());
                postmaster = Postmaster.start(installation, settings);
                return pause;
            } catch (PostgresRefusal | UncheckedIOException e) {
                log.atWarn().addKeyValue("reason", e.getMessage()).log("postgres.restart_failed");
            }
        }
        throw new InterruptedException("closing");
    }

    /// Stops the server, which ends all sessions, and waits up to a minute for it.
    @Override
    public void close() {
        closing.countDown();
        watcher.interrupt();
        try {
            watcher.join();
            postmaster.stop(installation.home());
            log.atInfo().addKeyValue("pid", pid()).log("postgres.stopped");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the next start stops what is left
        }
    }
}
