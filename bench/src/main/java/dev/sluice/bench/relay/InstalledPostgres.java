package dev.sluice.bench.relay;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.SystemCommands;
import dev.sluice.bench.platform.TemporaryDirectory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// A PostgreSQL server that runs from the programs installed on this machine. Closing this object
/// stops the server and removes its cluster. If this process runs as root, PostgreSQL runs as the
/// user `postgres`.
public final class InstalledPostgres implements AutoCloseable {

    /// Some of the settings that the relay's own PostgreSQL uses, with the same values.
    private static final String POSTGRES_SETTINGS =
            """
            listen_addresses = '127.0.0.1'
            unix_socket_directories = ''
            max_connections = 60
            shared_buffers = 32MB
            wal_buffers = 4MB
            min_wal_size = 1GB
            max_wal_size = 1GB
            checkpoint_timeout = 15min
            autovacuum_naptime = 15s
            jit = off
            """;

    private final Path programs;
    private final Path directory;
    private final DatabaseAddress address;
    private final Thread onExit = new Thread(this::shutDown, "end PostgreSQL");

    private InstalledPostgres(Path programs, Path directory, DatabaseAddress address) {
        this.programs = programs;
        this.directory = directory;
        this.address = address;
    }

    /// Starts PostgreSQL and returns once it accepts connections.
    ///
    /// @param programs the folder that contains `initdb` and `pg_ctl`
    public static InstalledPostgres start(Path programs) {
        for (String program : List.of("initdb", "pg_ctl")) {
            if (!Files.isExecutable(programs.resolve(program))) {
                throw new CommandLineException(
                        "--postgres-bin: there is no program %s in %s"
                                .formatted(program, programs));
            }
        }
        return unchecked(() -> {
            int port = RelayProcess.freePort();
            var address = new DatabaseAddress(port, UUID.randomUUID().toString());
            Path directory = TemporaryDirectory.make("sluice-bench-postgres-");
            var postgres = new InstalledPostgres(programs, directory, address);
            Runtime.getRuntime().addShutdownHook(postgres.onExit);
            try {
                postgres.initialize();
            } catch (IOException | RuntimeException e) {
                postgres.close();
                throw e;
            }
            return postgres;
        });
    }

    private void initialize() throws IOException {
        Path password = Files.writeString(directory.resolve("password"), address.password());
        if (SystemCommands.isRoot()) {
            SystemCommands.run("chown", "-R", "postgres", directory.toString());
        }
        run(
                "initdb",
                List.of(
                        "--username=" + address.user(),
                        "--pwfile=" + password,
                        "--auth=scram-sha-256",
                        "--encoding=UTF8",
                        "--locale=C",
                        "--data-checksums"));
        Path configuration = data().resolve("postgresql.conf");
        Files.writeString(configuration, POSTGRES_SETTINGS + "port = " + address.port() + "\n");
        run("pg_ctl", List.of("-w", "-l", directory.resolve("log").toString(), "start"));
        address.createDatabase();
    }

    private Path data() {
        return directory.resolve("data");
    }

    private void run(String program, List<String> arguments) {
        var command = new ArrayList<>(SystemCommands.asUser("postgres", "postgres"));
        command.add(programs.resolve(program).toString());
        command.add("--pgdata=" + data());
        command.addAll(arguments);
        // The output goes to a file. Reading a pipe to its end would block because the server that
        // `pg_ctl` starts keeps the pipe open.
        var process =
                SystemCommands.launch(command, directory.resolve("output"), Path.of("/"), Map.of());
        if (!SystemCommands.awaitEnd(process, Duration.ofMinutes(1)) || process.exitValue() != 0) {
            throw new IllegalStateException(
                    "%s failed; it printed:%n%s".formatted(program, output()));
        }
    }

    private String output() {
        return unchecked(() -> Files.readString(directory.resolve("output")));
    }

    public DatabaseAddress address() {
        return address;
    }

    /// Returns the id of the server's main process.
    public long pid() {
        return unchecked(() -> {
            var lines = Files.readAllLines(data().resolve("postmaster.pid"));
            return Long.parseLong(lines.getFirst().strip());
        });
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(onExit);
        } catch (IllegalStateException exiting) {
            return; // the shutdown hook is already running
        }
        shutDown();
    }

    /// Stops PostgreSQL if it is running, and removes its files.
    private void shutDown() {
        if (Files.exists(data().resolve("postmaster.pid"))) {
            run("pg_ctl", List.of("-m", "fast", "-w", "stop"));
        }
        TemporaryDirectory.remove(directory);
    }
}
