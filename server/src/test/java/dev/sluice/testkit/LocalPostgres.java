package dev.sluice.testkit;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.secret.Secret;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/// A server with the PostgreSQL that is installed on this machine, of any version, with a new
/// cluster in a given directory.
final class LocalPostgres implements AutoCloseable {

    private static final String USER = "sluice";

    private final Path programs;
    private final Path data;
    private final int port;

    private LocalPostgres(Path programs, Path data, int port) {
        this.programs = programs;
        this.data = data;
        this.port = port;
    }

    /// @param programs the directory of `initdb` and `pg_ctl`
    /// @param directory changes its owner to the user postgres when this process runs as root
    static LocalPostgres start(Path programs, Path directory) {
        try {
            if (isRoot()) {
                Files.setPosixFilePermissions(
                        directory, PosixFilePermissions.fromString("rwx--x--x"));
                call(List.of("chown", "postgres", directory.toString()));
            }
            int port;
            try (var free = new ServerSocket(0)) {
                port = free.getLocalPort();
            }
            var server = new LocalPostgres(programs, directory.resolve("data"), port);
            server.run("initdb", "-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C");
            server.run(
                    "pg_ctl",
                    "-w",
                    "-l",
                    directory.resolve("log").toString(),
                    "-o",
                    "-p "
                            + port
                            + " -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
                            + " -c max_connections=300 -c timezone=Asia/Kathmandu",
                    "start");
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    private void run(String program, String... arguments) throws IOException {
        var command = new ArrayList<String>();
        if (isRoot()) {
            command.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres"));
            command.add("--clear-groups");
        }
        command.add(programs.resolve(program).toString());
        command.addAll(List.of("-D", data.toString()));
        command.addAll(List.of(arguments));
        call(command);
    }

    private static void call(List<String> command) throws IOException {
        var process =
                new ProcessBuilder(command)
                        .directory(Path.of("/").toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            if (process.waitFor() != 0) {
                throw new IOException(command + " ended with " + process.exitValue());
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    Database database(String name) {
        return new Database("127.0.0.1", port, name, USER, new Secret("unused"), "");
    }

    @Override
    public void close() {
        try {
            run("pg_ctl", "-m", "immediate", "-w", "stop");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
