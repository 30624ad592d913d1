package dev.sluice.bench.relay;

import dev.sluice.bench.platform.TemporaryDirectory;
import dev.sluice.bench.platform.Tool;
import dev.sluice.bench.platform.UsageException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// A PostgreSQL that is installed on this machine, of whatever version, with a cluster of its own
/// that goes when it is closed. Where we are root it runs as `postgres`.
public final class InstalledPostgres implements AutoCloseable {

    /// As the relay's own has them.
    private static final String SETTINGS =
            """
            listen_addresses = '127.0.0.1'
            unix_socket_directories = ''
            max_connections = 60
            shared_buffers = 256MB
            wal_buffers = 16MB
            min_wal_size = 1GB
            max_wal_size = 1GB
            checkpoint_timeout = 15min
            autovacuum_naptime = 15s
            jit = off
            """;

    private final Path programs;
    private final Path directory;
    private final DatabaseAddress address;
    private final Thread onExit = new Thread(this::end, "end PostgreSQL");

    private InstalledPostgres(Path programs, Path directory, DatabaseAddress address) {
        this.programs = programs;
        this.directory = directory;
        this.address = address;
    }

    /// Returns once it takes connections.
    ///
    /// @param programs the folder of `initdb` and `pg_ctl`
    public static InstalledPostgres start(Path programs) {
        for (String program : List.of("initdb", "pg_ctl")) {
            if (!Files.isExecutable(programs.resolve(program))) {
                throw new UsageException(
                        "--postgres-bin: there is no program %s in %s"
                                .formatted(program, programs));
            }
        }
        try {
            var address = new DatabaseAddress(Relay.freePort(), UUID.randomUUID().toString());
            Path directory = TemporaryDirectory.make("sluice-bench-postgres-");
            var postgres = new InstalledPostgres(programs, directory, address);
            Runtime.getRuntime().addShutdownHook(postgres.onExit);
            try {
                postgres.make();
            } catch (IOException | RuntimeException e) {
                postgres.close();
                throw e;
            }
            return postgres;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void make() throws IOException {
        Path password = Files.writeString(directory.resolve("password"), address.password());
        if (Tool.isRoot()) {
            Tool.run("chown", "-R", "postgres", directory.toString());
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
        Files.writeString(configuration, SETTINGS + "port = " + address.port() + "\n");
        run("pg_ctl", List.of("-w", "-l", directory.resolve("log").toString(), "start"));
        address.createDatabase();
    }

    private Path data() {
        return directory.resolve("data");
    }

    private void run(String program, List<String> arguments) {
        var command = new ArrayList<String>();
        if (Tool.isRoot()) {
            command.addAll(
                    List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
        }
        command.add(programs.resolve(program).toString());
        command.add("--pgdata=" + data());
        command.addAll(arguments);
        // Not read to its end, for a server that was started keeps it open.
        var process = Tool.launch(command, directory.resolve("said"), Path.of("/"), Map.of());
        if (!Tool.awaitEnd(process, Duration.ofMinutes(1)) || process.exitValue() != 0) {
            throw new IllegalStateException("%s failed; it said:%n%s".formatted(program, said()));
        }
    }

    private String said() {
        try {
            return Files.readString(directory.resolve("said"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    DatabaseAddress address() {
        return address;
    }

    /// Its first process.
    long pid() {
        try {
            var lines = Files.readAllLines(data().resolve("postmaster.pid"));
            return Long.parseLong(lines.getFirst().strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(onExit);
        } catch (IllegalStateException exiting) {
            return; // the hook is at it already
        }
        end();
    }

    /// Whatever state it is in.
    private void end() {
        if (Files.exists(data().resolve("postmaster.pid"))) {
            run("pg_ctl", List.of("-m", "fast", "-w", "stop"));
        }
        TemporaryDirectory.remove(directory);
    }
}
