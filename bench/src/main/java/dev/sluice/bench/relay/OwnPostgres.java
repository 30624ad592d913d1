package dev.sluice.bench.relay;

import dev.sluice.bench.platform.Tool;
import dev.sluice.bench.platform.Wait;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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

/// The PostgreSQL that a relay has unpacked and set up, run by us instead of by the relay, which
/// has stopped: so that no relay owns it, and it can be killed and started as we like.
public final class OwnPostgres implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(1);
    private static final Duration AGAIN = Duration.ofMillis(100);

    /// With the relay's settings, for as many relays as a fault test has.
    private static final Map<String, String> SETTINGS =
            Map.of("max_connections", "200", "log_line_prefix", "%m [%p] ");

    private final Path data;
    private final DatabaseAddress address;
    private final Map<String, String> environment;
    private Optional<Process> process = Optional.empty();

    private OwnPostgres(Path data, DatabaseAddress address, Map<String, String> environment) {
        this.environment = environment;
        this.data = data;
        this.address = address;
    }

    /// Not started yet.
    ///
    /// @param data the relay's data directory
    static OwnPostgres in(Path data, Nodes.Needs needs) {
        var postgres = new OwnPostgres(data, DatabaseAddress.in(data), needs.environment());
        postgres.configure(needs.postgres());
        return postgres;
    }

    private void configure(Map<String, String> more) {
        var lines = new ArrayList<String>();
        SETTINGS.forEach((name, value) -> lines.add("%s = '%s'".formatted(name, value)));
        more.forEach((name, value) -> lines.add("%s = '%s'".formatted(name, value)));
        try {
            Files.write(home().resolve("postgresql.conf"), lines, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public DatabaseAddress address() {
        return address;
    }

    /// PostgreSQL's own data directory.
    public Path cluster() {
        return home().resolve("cluster");
    }

    public Connection connect() throws SQLException {
        return address.connect();
    }

    /// Returns once it takes connections. As a supervisor does, it tries again while PostgreSQL
    /// refuses: processes of one that was killed may take a moment to notice.
    public void start() {
        long end = System.nanoTime() + START.toNanos();
        while (!tryStart(START)) {
            if (System.nanoTime() - end >= 0) {
                throw new IllegalStateException("PostgreSQL does not start; see " + log());
            }
            Wait.pause(AGAIN);
        }
    }

    /// False when it did not take connections in time; it may be running all the same.
    public boolean tryStart(Duration limit) {
        if (process.isEmpty() || !process.get().isAlive()) {
            var command = new ArrayList<String>();
            if (Tool.isRoot()) {
                command.addAll(
                        List.of(
                                "setpriv",
                                "--reuid=" + owner("uid"),
                                "--regid=" + owner("gid"),
                                "--clear-groups"));
            }
            command.addAll(
                    List.of(
                            program(),
                            "-D",
                            cluster().toString(),
                            "-c",
                            "config_file=" + home().resolve("postgresql.conf")));
            process = Optional.of(Tool.launch(command, log(), home(), environment));
        }
        var running = process.get();
        Wait.until(limit, () -> !running.isAlive() || isUp());
        return running.isAlive() && isUp();
    }

    public boolean isUp() {
        try (var connection = connect();
                var statement = connection.createStatement()) {
            return statement.execute("select 1");
        } catch (SQLException down) {
            return false;
        }
    }

    /// Its first process; it must have been started.
    public long pid() {
        return process.orElseThrow().pid();
    }

    public boolean isAlive() {
        return process.isPresent() && process.get().isAlive();
    }

    /// `kill -9` of its first process; returns when that is dead. The others end by themselves.
    public void kill() {
        process.ifPresent(running -> {
            running.destroyForcibly();
            Tool.awaitEnd(running, START);
        });
    }

    /// The processes of sessions that a relay has opened, those that write most often first.
    public List<Long> sessions() {
        return query(
                """
                select pid from pg_stat_activity
                 where backend_type = 'client backend' and pid <> pg_backend_pid()
                 order by (query ilike 'commit%' or query ilike 'copy%') desc, state_change desc
                """);
    }

    /// The one process of this kind, such as `walwriter`.
    public Optional<Long> background(String type) {
        return query("select pid from pg_stat_activity where backend_type = '%s'".formatted(type))
                .stream()
                .findFirst();
    }

    /// Numbers that a statement answers.
    public List<Long> query(String sql) {
        try (var connection = connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            var numbers = new ArrayList<Long>();
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
            return numbers;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The number that a statement answers.
    public long number(String sql) {
        return query(sql).getFirst();
    }

    /// A statement without an answer.
    public void run(String sql) {
        try (var connection = connect();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// How many lines of its log hold this text.
    public long logged(String text) {
        try (Stream<String> lines = Files.lines(log(), StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.contains(text)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Gives a file or directory to the account that PostgreSQL runs as.
    public void own(Path path) {
        if (Tool.isRoot()) {
            Tool.run("chown", "-R", owner("uid") + ":" + owner("gid"), path.toString());
        }
    }

    /// Ends all sessions and stops.
    public void stop() {
        process.filter(Process::isAlive)
                .ifPresent(running -> {
                    Tool.signal("INT", running.pid());
                    if (!Tool.awaitEnd(running, START)) {
                        running.destroyForcibly();
                    }
                });
    }

    @Override
    public void close() {
        stop();
    }

    private String program() {
        try (Stream<Path> found = Files.list(home())) {
            return found.filter(path -> path.getFileName().toString().startsWith("bin-"))
                    .map(path -> path.resolve("bin").resolve("postgres").toString())
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String owner(String kind) {
        try {
            return Files.getAttribute(cluster(), "unix:" + kind).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path home() {
        return data.resolve("postgres");
    }

    private Path log() {
        return home().resolve("postgres.log");
    }
}
