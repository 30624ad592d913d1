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

/// A PostgreSQL server that Sluice runs on the loopback address and restarts whenever it dies.
///
/// Its port and password stay the same for the lifetime of this object, so after a restart a
/// connection pool only has to reconnect. If Sluice is killed, the server keeps running. When
/// Sluice is started again on the same directory, it stops that server first. Thread-safe.
public final class EmbeddedPostgres implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EmbeddedPostgres.class);

    private static final String LOOPBACK_HOST = "127.0.0.1";

    /// The maximum number of attempts to start the server when Sluice starts. An attempt can fail
    /// for a temporary reason: children of a killed server may still hold its memory, or another
    /// process may be using the port. After a crash, the number of restart attempts is not limited.
    private static final int MAX_START_ATTEMPTS = 6;

    /// Once the server has run for this long without a crash, the restart backoff is reset to its
    /// initial delay.
    private static final Duration MIN_STABLE_UPTIME = Duration.ofMinutes(1);

    private final Installation installation;
    private final PostgresSettings settings;
    private final Thread watcher;
    private final CountDownLatch closing = new CountDownLatch(1);

    /// Written only by the constructor and the watcher thread.
    private volatile Postmaster postmaster;

    private EmbeddedPostgres(
            Installation installation, PostgresSettings settings, Postmaster postmaster) {
        this.installation = installation;
        this.settings = settings;
        this.postmaster = postmaster;
        this.watcher = Thread.ofPlatform().daemon().name("postgres-watch").unstarted(this::watch);
    }

    /// Starts the server whose data is in `directory`. If there is no data yet, creates an empty
    /// database first.
    ///
    /// The caller must hold a lock that prevents other Sluice processes from using the directory.
    /// When Sluice runs as root, PostgreSQL runs as another user, which must be able to enter all
    /// parent directories (mode 0711). If that user cannot enter them, PostgreSQL can run only in a
    /// user namespace, which many containers forbid.
    ///
    /// @param extraSettings PostgreSQL settings that override Sluice's own
    /// @throws PostgresStartException with a message that says what failed and what to do
    public static EmbeddedPostgres start(Path directory, Map<String, String> extraSettings) {
        if (!directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            throw new PostgresStartException(
                    "The embedded PostgreSQL runs only on Linux and macOS. Set SLUICE_DATABASE_URL"
                            + " to your own PostgreSQL server.");
        }
        return start(directory, extraSettings, RunAs.candidates());
    }

    static EmbeddedPostgres start(
            Path directory, Map<String, String> extraSettings, List<RunAs> candidates) {
        try {
            var postgres = firstStart(Installation.prepare(directory, candidates), extraSettings);
            postgres.watcher.start();
            log.atInfo()
                    .addKeyValue("pid", postgres.pid())
                    .addKeyValue("port", postgres.port())
                    .addKeyValue("run_as", postgres.installation.runAs().label())
                    .log("postgres.started");
            return postgres;
        } catch (UncheckedIOException e) {
            throw new PostgresStartException(
                    "The database can't be started in %s: %s. Check the disk, and check that the user who runs Sluice owns the files."
                            .formatted(directory, e.getCause()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostgresStartException(
                    "The start of the database was interrupted. Start Sluice again.", e);
        }
    }

    private static EmbeddedPostgres firstStart(Installation installation, Map<String, String> extra)
            throws InterruptedException {
        var backoff = RestartBackoff.INITIAL_BACKOFF;
        for (int attempt = 1; ; attempt++) {
            var settings =
                    new PostgresSettings(
                            PortChooser.choose(installation.postgresDirectory().port()), extra);
            try {
                return new EmbeddedPostgres(
                        installation, settings, Postmaster.start(installation, settings));
            } catch (PostgresStartException e) {
                if (attempt == MAX_START_ATTEMPTS) {
                    throw e;
                }
            }
            backoff.await();
            backoff = backoff.next();
        }
    }

    /// The address and credentials of an embedded server.
    public record PostgresLogin(
            String host, int port, String database, String user, Secret password) {}

    /// Whether `directory` contains the data of an embedded server. Changes nothing.
    public static boolean existsIn(Path directory) {
        return new DatabaseCluster(new PostgresDirectory(directory)).exists();
    }

    /// Finds the server that another process is running in `directory`. Returns empty when no
    /// server is ready there. Changes nothing.
    public static Optional<PostgresLogin> findRunning(Path directory) {
        var postgresDirectory = new PostgresDirectory(directory);
        boolean isReady =
                PidFile.of(postgresDirectory)
                        .filter(PidFile::isReady)
                        .flatMap(file -> ProcessHandle.of(file.pid()))
                        .isPresent();
        return isReady
                ? postgresDirectory
                        .port()
                        .read()
                        .flatMap(port ->
                                postgresDirectory
                                        .password()
                                        .read()
                                        .map(password ->
                                                new PostgresLogin(
                                                        LOOPBACK_HOST,
                                                        Integer.parseInt(port),
                                                        DatabaseCluster.DATABASE_NAME,
                                                        DatabaseCluster.DATABASE_USER,
                                                        new Secret(password))))
                : Optional.empty();
    }

    public PostgresLogin login() {
        return new PostgresLogin(host(), port(), database(), user(), password());
    }

    public String host() {
        return LOOPBACK_HOST;
    }

    public int port() {
        return settings.port();
    }

    public String user() {
        return DatabaseCluster.DATABASE_USER;
    }

    public String database() {
        return DatabaseCluster.DATABASE_NAME;
    }

    public Secret password() {
        return installation.password();
    }

    /// Whether the server is running. Returns false while it is being restarted after a crash.
    public boolean isRunning() {
        return postmaster.isAlive();
    }

    /// Returns the process id of the server, which changes with each restart.
    public long pid() {
        return postmaster.pid();
    }

    private void watch() {
        try {
            var backoff = RestartBackoff.INITIAL_BACKOFF;
            while (true) {
                if (postmaster.outlives(MIN_STABLE_UPTIME)) {
                    backoff = RestartBackoff.INITIAL_BACKOFF;
                }
                int exit = postmaster.awaitExit();
                log.atWarn()
                        .addKeyValue("pid", postmaster.pid())
                        .addKeyValue("exit", exit)
                        .log("postgres.died");
                backoff = restart(backoff);
                log.atWarn().addKeyValue("pid", postmaster.pid()).log("postgres.restarted");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closing
        }
    }

    /// Retries until the server starts. Returns the backoff to continue with if the new server also
    /// dies soon.
    private RestartBackoff restart(RestartBackoff first) throws InterruptedException {
        var backoff = first;
        while (backoff.endsBefore(closing)) {
            backoff = backoff.next();
            try {
                Postmaster.stopLeftover(installation.postgresDirectory());
                postmaster = Postmaster.start(installation, settings);
                return backoff;
            } catch (PostgresStartException | UncheckedIOException e) {
                log.atWarn().addKeyValue("reason", e.getMessage()).log("postgres.restart_failed");
            }
        }
        throw new InterruptedException("closing");
    }

    /// Stops the server, which ends all its sessions, and waits up to a minute for it to exit.
    @Override
    public void close() {
        closing.countDown();
        watcher.interrupt();
        try {
            watcher.join();
            postmaster.stop(installation.postgresDirectory());
            log.atInfo().addKeyValue("pid", pid()).log("postgres.stopped");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // Sluice stops the server at its next start
        }
    }
}
