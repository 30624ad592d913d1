package dev.sluice.testkit;

import dev.sluice.platform.db.Database;

import org.awaitility.Awaitility;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// The whole server in a separate process that a test can kill. Destinations on loopback are
/// allowed.
public final class RelayProcess implements AutoCloseable {

    public static final String ADMIN_API_KEY = "slk_test_0123456789_0123456789_0123456789";
    public static final String MASTER_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private static final Duration PROCESS_TIMEOUT = Duration.ofMinutes(2);
    private static final Pattern STARTED_LOG_LINE =
            Pattern.compile("server\\.started.*\\bport\"?[=:]\"?(\\d+)");

    private final Path dataDir;
    private final Database database;
    private final Map<String, String> more;
    private final Process process;
    private final Path log;
    private final int port;

    private RelayProcess(
            Path dataDir,
            Database database,
            Map<String, String> more,
            Process process,
            Path log,
            int port) {
        this.more = more;
        this.dataDir = dataDir;
        this.database = database;
        this.process = process;
        this.log = log;
        this.port = port;
    }

    /// Starts the server and waits until it listens.
    ///
    /// @param dataDir made if it is missing
    public static RelayProcess start(Path dataDir, Database database) {
        return start(dataDir, database, 0, Map.of());
    }

    /// @param more settings to add, or to replace
    public static RelayProcess start(Path dataDir, Database database, Map<String, String> more) {
        return start(dataDir, database, 0, more);
    }

    /// Starts a server like this one, which was killed, on the same port.
    public RelayProcess startAgain() {
        return start(dataDir, database, port, more);
    }

    private static RelayProcess start(
            Path dataDir, Database database, int port, Map<String, String> more) {
        try {
            Files.createDirectories(dataDir);
            var log = Files.createTempFile(dataDir, "relay", ".log");
            var command =
                    List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            "-Xmx256m",
                            "-XX:TieredStopAtLevel=1", // the process lives for seconds
                            "--enable-native-access=ALL-UNNAMED", // else the JVM prints a warning
                            "-cp",
                            System.getProperty("java.class.path"),
                            "-Dlogback.configurationFile=logback.xml", // the test configuration
                            // logs less
                            "dev.sluice.Main");
            var builder = new ProcessBuilder(command);
            var environment = builder.environment();
            environment.keySet().removeIf(name -> name.startsWith("SLUICE_"));
            environment.put("SLUICE_PORT", Integer.toString(port));
            environment.put("SLUICE_BASE_URL", "http://localhost:8080");
            environment.put("SLUICE_DATA_DIR", dataDir.toString());
            environment.put("SLUICE_DATABASE_URL", TestPostgres.url(database));
            environment.put("SLUICE_MASTER_KEY", MASTER_KEY);
            environment.put("SLUICE_ADMIN_API_KEY", ADMIN_API_KEY);
            environment.put("SLUICE_ALLOW_PRIVATE_DESTINATIONS", "127.0.0.0/8");
            environment.putAll(more);
            var process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
            return new RelayProcess(dataDir, database, more, process, log, awaitPort(process, log));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int awaitPort(Process process, Path log) {
        Awaitility.await()
                .atMost(PROCESS_TIMEOUT)
                .until(() -> STARTED_LOG_LINE.matcher(text(log)).find() || !process.isAlive());
        var started = STARTED_LOG_LINE.matcher(text(log));
        if (!started.find()) {
            throw new AssertionError("the server did not start:\n" + text(log));
        }
        return Integer.parseInt(started.group(1));
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns what the server has logged so far, and printed.
    public String log() {
        return text(log);
    }

    public int port() {
        return port;
    }

    public ApiClient api() {
        return new ApiClient(port, ADMIN_API_KEY);
    }

    /// Kills the server, as `kill -9` does.
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /// Stops the server, as `kill` does.
    ///
    /// @return its exit status
    public int stop() {
        process.destroy();
        awaitEnd();
        return process.exitValue();
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(PROCESS_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("the server does not exit");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
