package dev.sluice.faults.cluster;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;
import static dev.sluice.bench.platform.UncheckedCalls.uncheckedRun;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.bench.platform.SystemCommands;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.DatabaseAddress;
import dev.sluice.bench.relay.RelayProcess;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A PostgreSQL server that a relay has unpacked and set up. Normally, the testbed runs it after
/// that relay has stopped, and can kill and restart it at any time.
///
/// An instance returned by [#runBy] is different: there, the relay still runs the server.
public final class StandalonePostgres implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration START_RETRY_INTERVAL = Duration.ofMillis(100);

    /// Settings for a fault test with several relays. They override those that the relay has
    /// written.
    private static final Map<String, String> POSTGRES_SETTINGS =
            Map.of("max_connections", "200", "log_line_prefix", "%m [%p] ");

    private final Path data;
    private final Map<String, String> environment;
    private Optional<Process> process = Optional.empty();

    private StandalonePostgres(Path data, Map<String, String> environment) {
        this.environment = environment;
        this.data = data;
    }

    /// Returns the PostgreSQL server that a relay runs itself. The returned object can connect to
    /// it, but cannot start or kill it.
    static StandalonePostgres runBy(RelayProcess relay) {
        return new StandalonePostgres(relay.data(), Map.of());
    }

    /// Prepares the server without starting it.
    ///
    /// @param data the relay's data directory
    static StandalonePostgres prepare(Path data, RelayCluster.ClusterRequirements requirements) {
        var postgres = new StandalonePostgres(data, requirements.postgresEnvironment());
        postgres.configure(requirements.postgresSettings());
        return postgres;
    }

    private void configure(Map<String, String> more) {
        var lines = new ArrayList<String>();
        POSTGRES_SETTINGS.forEach((name, value) -> lines.add("%s = '%s'".formatted(name, value)));
        more.forEach((name, value) -> lines.add("%s = '%s'".formatted(name, value)));
        uncheckedRun(() ->
                Files.write(
                        directory().resolve("postgresql.conf"), lines, StandardOpenOption.APPEND));
    }

    public DatabaseAddress address() {
        return DatabaseAddress.read(data);
    }

    /// Returns PostgreSQL's own data directory.
    public Path cluster() {
        return directory().resolve("cluster");
    }

    public Connection connect() throws SQLException {
        return address().connect();
    }

    /// Starts PostgreSQL and returns when it accepts connections. If PostgreSQL refuses to start,
    /// tries again, because the processes of a killed server may take a moment to end.
    public void start() {
        long end = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!tryStart(START_TIMEOUT)) {
            if (System.nanoTime() - end >= 0) {
                throw new IllegalStateException("PostgreSQL does not start; see " + log());
            }
            Wait.pause(START_RETRY_INTERVAL);
        }
    }

    /// Tries to start PostgreSQL. Returns whether it accepted connections in time. If the result is
    /// false, PostgreSQL may still be starting.
    public boolean tryStart(Duration limit) {
        if (process.isEmpty() || !process.get().isAlive()) {
            var command = new ArrayList<>(SystemCommands.asUser(owner("uid"), owner("gid")));
            String settings = "config_file=" + directory().resolve("postgresql.conf");
            command.addAll(List.of(executable(), "-D", cluster().toString(), "-c", settings));
            process = Optional.of(SystemCommands.launch(command, log(), directory(), environment));
        }
        var running = process.get();
        Wait.until(limit, () -> !running.isAlive() || isUp());
        return running.isAlive() && isUp();
    }

    public boolean isUp() {
        try (var connection = connect()) {
            return connection.isValid(1);
        } catch (SQLException down) {
            return false;
        }
    }

    /// Returns the process id of PostgreSQL's main process. PostgreSQL must have been started.
    public long pid() {
        return process.orElseThrow().pid();
    }

    public boolean isAlive() {
        return process.isPresent() && process.get().isAlive();
    }

    /// Kills the main process (`kill -9`) and returns when it is dead. The other processes end on
    /// their own.
    public void kill() {
        process.ifPresent(running -> {
            running.destroyForcibly();
            SystemCommands.awaitEnd(running, START_TIMEOUT);
        });
    }

    /// Returns how many lines in the log contain this text.
    public long countLogLines(String text) {
        return unchecked(() -> Files.readAllLines(log(), ISO_8859_1)).stream()
                .filter(line -> line.contains(text))
                .count();
    }

    /// Gives a file or directory to the user that PostgreSQL runs as.
    public void giveOwnership(Path path) {
        if (SystemCommands.isRoot()) {
            SystemCommands.run("chown", "-R", owner("uid") + ":" + owner("gid"), path.toString());
        }
    }

    /// Ends all sessions and stops the server.
    @Override
    public void close() {
        process.filter(Process::isAlive)
                .ifPresent(running -> {
                    SystemCommands.signal("INT", running.pid());
                    if (!SystemCommands.awaitEnd(running, START_TIMEOUT)) {
                        running.destroyForcibly();
                    }
                });
    }

    private String executable() {
        try (Stream<Path> found = Files.list(directory())) {
            return found.filter(path -> path.getFileName().toString().startsWith("bin-"))
                    .map(path -> path.resolve("bin").resolve("postgres").toString())
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String owner(String kind) {
        return unchecked(() -> Files.getAttribute(cluster(), "unix:" + kind).toString());
    }

    private Path directory() {
        return data.resolve("postgres");
    }

    private Path log() {
        return directory().resolve("postgres.log");
    }
}
